import { Problem, email, forget, token } from './session.js';

const $ = (id) => document.getElementById(id);
const form = $('compose');
const message = $('message');
const said = $('said');
const max = Number($('count').dataset.max);
const draft = 'guestbook.draft';

const inOwnTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'long', timeStyle: 'short' });

function showSession() {
  form.hidden = !email();
  $('invite').hidden = Boolean(email());
}

// Characters are counted as the database counts them.
const left = () => max - [...message.value.trim()].length;

function showCount() {
  const n = left();
  $('count').textContent = n < 0 ? `${-n} characters too many` : `${n} characters left`;
  $('count').classList.toggle('over', n < 0);
  message.setAttribute('aria-invalid', String(n < 0));
}

function say(text, isProblem = false) {
  said.textContent = text;
  said.classList.toggle('problem', isProblem);
}

function add(entry) {
  const item = $('entry').content.cloneNode(true);
  item.querySelector('.initial').textContent = (entry.author || '?')[0];
  item.querySelector('.message').textContent = entry.message;
  item.querySelector('.author').textContent = entry.author;
  const time = item.querySelector('time');
  time.dateTime = entry.created_at;
  time.textContent = inOwnTime.format(new Date(entry.created_at));
  $('entries')?.prepend(item);
  if ($('empty')) $('empty').hidden = true;
}

async function post() {
  const bearer = await token();
  if (!bearer) throw new Problem('Your session has ended. Sign in again; your message is kept here meanwhile.');
  let response;
  try {
    response = await fetch('/api/entries', {
      method: 'POST',
      headers: { Authorization: `Bearer ${bearer}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ message: message.value }),
    });
  } catch {
    throw new Problem('The guestbook cannot be reached. Your message is still here; try again in a few seconds.');
  }
  const answer = await response.json().catch(() => ({}));
  if (response.status === 401) {
    forget();
    throw new Problem('Your session has ended. Sign in again; your message is kept here meanwhile.');
  }
  if (!response.ok) throw new Problem(answer.error ?? 'The guestbook is not available at the moment. Try again in a few seconds.');
  return answer;
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const n = left();
  if (n === max || n < 0) {
    say(n < 0 ? `The message is ${-n} characters too long.` : 'Write a message first.', true);
    message.focus();
    return;
  }
  const button = form.querySelector('button');
  button.disabled = true;
  say('Posting…');
  try {
    add(await post());
    message.value = '';
    sessionStorage.removeItem(draft);
    say('Your message is in the guestbook.');
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    say(problem.message, true);
  } finally {
    button.disabled = false;
    showCount();
  }
});

message.addEventListener('input', () => {
  sessionStorage.setItem(draft, message.value);
  showCount();
  say('');
});
message.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});

for (const time of document.querySelectorAll('#entries time')) {
  time.textContent = inOwnTime.format(new Date(time.dateTime));
}
message.value = sessionStorage.getItem(draft) ?? '';
document.addEventListener('session', showSession);
showSession();
showCount();
