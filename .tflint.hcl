# Rules of the language for the configurations under examples/. The ruleset comes with
# tflint; nothing has to be downloaded. A whole module is held to all of it:
#
#   tflint --chdir examples/guestbook --config "$PWD/.tflint.hcl"
#
# The others are fragments for a page, which neither say what they require nor use what
# they show:
#
#   tflint --recursive --chdir examples --config "$PWD/.tflint.hcl" \
#     --disable-rule terraform_required_version --disable-rule terraform_required_providers \
#     --disable-rule terraform_unused_declarations
#
# internal/toolchain runs both, with the tflint of tools/tflint, and they find nothing.
tflint {
  required_version = ">= 0.50"
}

plugin "terraform" {
  enabled = true
  preset  = "recommended"
}
