// pimento completion: a script for the shell, made of the table of subcommands.
#include <ostream>

#include "cli/commands/registry.hpp"

namespace pimento::cli {
namespace {

SUBCOMMAND("completion", "[SHELL]", "print a completion script for the shell", R"(
  SHELL  bash (the default), the only one so far
  example: pimento completion bash)",
           [](const Arguments& a, Streams io) {
             if (a.text("SHELL", "bash") != "bash")
               throw UserError("unknown shell '" + a.text("SHELL") + "'; known: bash");
             io.out << "_pimento() {\n  local words\n  case \"${COMP_WORDS[1]}\" in\n";
             std::string names;
             for (const Subcommand& row : subcommands()) {
               names += row.name + " ";
               std::string options = "--help";
               for (const Parameter& p : parse_usage(row.usage))
                 if (p.option) options += (p.name.size() == 1 ? " -" : " --") + p.name;
               io.out << "    " << row.name << ") words=\"" << options << "\" ;;\n";
             }
             io.out
                 << "    *) words=\"\" ;;\n  esac\n  [ \"$COMP_CWORD\" -eq 1 ] && words=\"" << names
                 << "--help --version\"\n  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\n"
                 << "complete -o default -F _pimento pimento\n";
             return Status::done;
           });

}  // namespace
}  // namespace pimento::cli
