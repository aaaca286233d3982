// `weft completion`: prints the script that completes command lines of weft in a shell. All words come from `weft
// complete`, so the scripts never change. None evaluates a word of the command line or of an answer, and all call only
// the weft of the PATH, not a program that the command line names.
#include "engine/error.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/terminal/console.hpp"

namespace weft::driver {
namespace {
constexpr auto script_of_bash = R"(# Completes command lines of weft in bash 3.2 or later.
_weft() {
    # The raw words up to the cursor: bash also splits them at = and :
    local line=${COMP_LINE:0:COMP_POINT} word rest kept="" i
    local -a words
    words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        rest=${line#"${line%%[![:space:]]*}"}
        ((i == COMP_CWORD)) && word=$rest
        if ((i == 0)) || [[ $rest != "$line" ]]; then
            words+=("")
            kept=""
        fi
        if ((i == COMP_CWORD)); then
            # Readline keeps all up to the last of them. It splits at @, too, and replaces that.
            kept=${words[${#words[@]} - 1]}
            [[ -n $word && -z ${word//[=:]/} ]] && kept+=$word
            kept=${kept%@}
        fi
        words[${#words[@]} - 1]+=$word
        line=${rest#"$word"}
    done
    local kind="" before="" file=""
    COMPREPLY=()
    while IFS= read -r line; do
        if [[ -z $kind ]]; then
            kind=${line%%$'\t'*} line=${line#*$'\t'}
            before=${line%%$'\t'*} file=${line#*$'\t'}
        else
            COMPREPLY+=("$line")
        fi
    done < <(command weft complete bash "$kept" -- "${words[@]:1}" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:@] ]]; then
        compopt -o nospace 2>/dev/null
    fi
    [[ $kind == files || $kind == folders ]] || return 0
    compopt -o filenames 2>/dev/null
    local action=-f
    [[ $kind == folders ]] && action=-d
    while IFS= read -r line; do
        COMPREPLY+=("$before$line")
    done < <(compgen "$action" -- "$file" 2>/dev/null)
}
complete -o nosort -F _weft weft 2>/dev/null || complete -F _weft weft
)";
constexpr auto script_of_zsh = R"(#compdef weft
# Completes command lines of weft in zsh.
_weft() {
    local line value about kind before
    local -a lines closed open
    lines=("${(@f)$(command weft complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    kind=${lines[1]%%$'\t'*} before=${lines[1]#*$'\t'}
    for line in "${(@)lines[2,-1]}"; do
        value=${line%%$'\t'*} about=${line#*$'\t'}
        value=${${value//\\/\\\\}//:/\\:}
        if [[ $value == *[:=@] ]]; then open+=("$value:$about"); else closed+=("$value:$about"); fi
    done
    local found=1
    (( $#closed )) && _describe -V weft closed && found=0
    (( $#open )) && _describe -V weft open -S '' && found=0
    if [[ $kind == (files|folders) ]]; then
        [[ -n $before ]] && compset -P "${(b)before}"
        if [[ $kind == folders ]]; then _files -/ && found=0; else _files && found=0; fi
    fi
    return found
}
if [[ ${funcstack[1]} == _weft ]]; then
    _weft "$@"
elif (( ${+functions[compdef]} )); then
    compdef _weft weft
fi
)";
constexpr auto script_of_fish = R"(# Completes command lines of weft in fish.
function __weft_complete
    set -l words (commandline -opc)
    set -e words[1]
    set -l raw (commandline -ct)
    set -l last (string unescape -- "$raw"; or string trim --left --chars \'\" -- "$raw")
    set -l lines (command weft complete -- $words "$last" 2>/dev/null)
    set -q lines[1]; or return
    set -l head (string split -m 1 \t -- $lines[1])
    set -e lines[1]
    set -q lines[1]; and printf '%s\n' $lines
    set -l file (string sub -s (math (string length -- "$head[2]") + 1) -- "$raw")
    set -l names
    switch $head[1]
        case files
            set names (complete -C "'' $file")
        case folders
            set names (complete -C "'' $file" | string match '*/')
    end
    for name in $names
        printf '%s\n' "$head[2]$name"
    end
end
complete -c weft -e
complete -c weft -f -k -a '(__weft_complete)'
)";
ExitCode print_script(const Choices& choices) {
    const auto& shell = choices.topic;
    if (shell == "bash") say_trusted(script_of_bash);
    else if (shell == "zsh") say_trusted(script_of_zsh);
    else if (shell == "fish") say_trusted(script_of_fish);
    else throw Error(Code::usage, "there is no script for \"" + shell + "\"; there are bash, zsh and fish");
    return ExitCode::ok;
}
constexpr auto completion_examples =
    R"(In bash: a line in ~/.bashrc. In zsh: in ~/.zshrc, after compinit. In fish: once.
An installed package needs none of them.

  source <(weft completion bash)
  source <(weft completion zsh)
  weft completion fish > ~/.config/fish/completions/weft.fish
)";
}

DriverCommand completion_command() {
    using enum OptionGroup;
    return {"completion",
            "print the script that completes words of weft in a shell",
            {shell},
            print_script,
            completion_examples};
}
}
