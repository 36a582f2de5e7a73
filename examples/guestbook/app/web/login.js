import { Problem, email, signIn, signUp } from './session.js';

const $ = (id) => document.getElementById(id);
const form = $('account');
const said = $('said');

const words = {
  'sign-in': { heading: 'Welcome back', hint: 'Sign in to leave a message.', submit: 'Sign in' },
  'sign-up': { heading: 'Nice to meet you', hint: 'An account takes an e-mail address and a password.', submit: 'Create account' },
};

const mode = () => form.elements.mode.value;

function showMode() {
  const isNew = mode() === 'sign-up';
  const { heading, hint, submit } = words[mode()];
  $('heading').textContent = heading;
  $('hint').textContent = hint;
  $('submit').textContent = submit;
  $('rule').hidden = !isNew;
  $('password').autocomplete = isNew ? 'new-password' : 'current-password';
  say('');
}

function say(text, field) {
  said.textContent = text;
  said.classList.toggle('problem', Boolean(text));
  for (const input of [$('email'), $('password')]) input.removeAttribute('aria-invalid');
  if (field) {
    field.setAttribute('aria-invalid', 'true');
    field.focus();
  }
}

// check says what is wrong before anything is sent.
function check() {
  if (!$('email').checkValidity()) return ['Enter your e-mail address, such as ada@example.com.', $('email')];
  const password = $('password').value;
  if (!password) return ['Enter a password.', $('password')];
  if (mode() === 'sign-up' && [...password].length < 8) return ['Choose a password of at least 8 characters.', $('password')];
  return null;
}

async function submit(event) {
  event.preventDefault();
  const wrong = check();
  if (wrong) {
    say(...wrong);
    return;
  }
  say('');
  $('submit').disabled = true;
  try {
    await (mode() === 'sign-up' ? signUp : signIn)($('email').value, $('password').value);
    location.assign('/');
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    say(problem.message);
    said.focus();
    $('submit').disabled = false;
  }
}

function reveal() {
  const shown = $('password').type === 'password';
  $('password').type = shown ? 'text' : 'password';
  $('reveal').textContent = shown ? 'Hide' : 'Show';
  $('reveal').setAttribute('aria-pressed', String(shown));
}

if (form) {
  form.addEventListener('submit', submit);
  for (const choice of form.elements.mode) choice.addEventListener('change', showMode);
  $('reveal').addEventListener('click', reveal);
  showMode();
  if (email()) location.replace('/');
}
