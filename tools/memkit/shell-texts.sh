#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# shell-texts.sh MEMKIT FOLDER TOOL...: manual pages, and completions for bash, zsh and fish, as they
# are installed below share. Each tool makes its own (--help=man); those of memkit are made here.
set -eu
memkit=$1 share=$2
shift 2
man=$share/man/man1 bash=$share/bash-completion/completions
zsh=$share/zsh/site-functions fish=$share/fish/vendor_completions.d
mkdir -p "$man" "$bash" "$zsh" "$fish"
commands=
for tool; do
  "$memkit" "$tool" --help=man > "$man/$tool.1"
  "$memkit" "$tool" --help=bash > "$bash/$tool"
  "$memkit" "$tool" --help=zsh > "$zsh/_$tool"
  "$memkit" "$tool" --help=fish > "$fish/$tool.fish"
  commands="$commands ${tool#mem}"
done
commands=${commands# }

{
  echo '.TH MEMKIT 1 "" "memkit" "memkit"'
  printf '.SH NAME\nmemkit \\- all tools of memkit in one program\n'
  printf '.SH SYNOPSIS\n.B memkit\ncommand [options]\n.SH COMMANDS\n.nf\n'
  "$memkit" --help | sed -n '/^  /p' | sed 's/-/\\-/g'
  printf '.fi\nEach command is also a program: memkit stat is memstat(1).\n'
} > "$man/memkit.1"

cat > "$bash/memkit" <<END
_memkit() {
  local tool
  COMPREPLY=()
  if [ "\$COMP_CWORD" = 1 ]; then
    COMPREPLY=(\$(compgen -W 'run $commands help --help --version' -- "\$2"))
    return
  fi
  tool=mem\${COMP_WORDS[1]#mem}
  [ "\$tool" != memrun ] || tool=memrec
  case " $* " in
  *" \$tool "*) ;;
  *) return ;;
  esac
  declare -F "_\$tool" >/dev/null || . "\${BASH_SOURCE[0]%/*}/\$tool"
  COMP_WORDS=("\${COMP_WORDS[@]:1}")
  COMP_CWORD=\$((COMP_CWORD - 1))
  "_\$tool" "\$tool" "\$2" "\$3"
}
complete -o bashdefault -o default -F _memkit memkit
END

cat > "$zsh/_memkit" <<END
#compdef memkit
if ((CURRENT == 2)); then
  compadd -- run $commands help --help --version
else
  shift words
  ((CURRENT--))
  [[ \$words[1] != run ]] || words[1]=rec
  _call_function ret "_mem\${words[1]#mem}"
fi
END

{
  echo "complete -c memkit -n __fish_use_subcommand -f -a run"
  for command in $commands; do
    echo "complete -c memkit -n __fish_use_subcommand -f -a $command"
    seen=$command
    [ "$command" != rec ] || seen='rec run'
    sed "s/^complete -c mem$command/complete -c memkit -n '__fish_seen_subcommand_from $seen mem$command'/" \
      "$fish/mem$command.fish"
  done
} > "$fish/memkit.fish"
