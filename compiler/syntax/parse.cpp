// The way from text to AST: UTF-8, tokens (mistakes of spelling, nesting), the generated parser, checks, the AST.
#include "syntax/parse.hpp"

#include <exception>
#include <new>

#include "syntax/build_ast.hpp"
#include "syntax/syntax_errors.hpp"
#include "syntax/tokens.hpp"
#include "syntax/tree_checks.hpp"
#include "syntax/utf8.hpp"

namespace adjoule::syntax {

namespace {

constexpr size_t largest_file = size_t{16} << 20;  // a parse takes about a hundred times the memory of its text

std::string hex(unsigned char byte) {
  constexpr char digits[] = "0123456789ABCDEF";
  return {'0', 'x', digits[byte >> 4], digits[byte & 15]};
}

/// Can the text be given to ANTLR at all?
bool readable(const SourceMap& sources, int32_t file, Diagnostics& diagnostics) {
  const std::string& text = sources.files[static_cast<size_t>(file)].text;
  if (text.size() > largest_file) {
    diagnostics.error({file, 0, 0}, "this file is larger than 16 MiB", "data belongs in the host's arrays, not in the program");
    return false;
  }
  if (const auto invalid = first_invalid_utf8(text)) {
    const auto place = static_cast<uint32_t>(*invalid);
    diagnostics.error({file, place, place + 1},
        "this is not valid UTF-8: byte " + std::to_string(*invalid) + " of the file is " +
            hex(static_cast<unsigned char>(text[*invalid])),
        "save the file as UTF-8");
    return false;
  }
  return true;
}

std::optional<Program> parse_text(const SourceMap& sources, int32_t file, Diagnostics& diagnostics) {
  ErrorSink errors(diagnostics, sources);
  TokenText text(sources, file);
  TokenReader reader(text);
  if (!reader.read(errors)) return std::nullopt;

  antlr4::CommonTokenStream tokens(&reader);
  parser::AdjouleParser parser(&tokens);
  SyntaxErrors listener(text, errors);
  parser.removeErrorListeners();
  parser.addErrorListener(&listener);
  parser.setErrorHandler(std::make_shared<Recovery>());
  parser::AdjouleParser::ProgramContext* tree = parser.program();
  check_tree(tree, text, errors);
  if (errors.any()) return std::nullopt;
  return build_ast(tree, text);
}

}  // namespace

std::optional<Program> parse(SourceMap& sources, int32_t file, Diagnostics& diagnostics) {
  if (!readable(sources, file, diagnostics)) return std::nullopt;
  Diagnostics found;  // apart, to be put in the order of the text: spelling is checked before syntax
  std::optional<Program> program;
  try {
    program = parse_text(sources, file, found);
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    found.error({file, 0, 0}, std::string("the parser failed on this file: ") + e.what(),
                "this is a mistake of the compiler; please report it with the file");
    program.reset();
  }
  found.tidy();
  for (Diagnostic& diagnostic : found.list) diagnostics.list.push_back(std::move(diagnostic));
  return program;
}

}  // namespace adjoule::syntax
