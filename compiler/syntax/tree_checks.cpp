// Checks on the parse tree. The walk keeps its own stack; every check looks at one node and its children only.
#include "syntax/tree_checks.hpp"

namespace adjoule::syntax {

namespace {

using antlr4::ParserRuleContext;

Span span_of(const ParserRuleContext* context, const TokenText& text) {
  const antlr4::Token* first = context->start;
  const antlr4::Token* last = context->stop ? context->stop : context->start;
  return join(text.span(first), text.span(last));
}

std::string text_of(const ParserRuleContext* context, const TokenText& text) {
  return std::string(text.text(span_of(context, text)));
}

void check_comparison(Grammar::ComparisonContext* context, const TokenText& text, ErrorSink& errors) {
  const auto sums = context->sum();
  const auto operators = context->compare();
  if (operators.size() < 2 || sums.size() != operators.size() + 1) return;
  std::string meant;
  for (size_t i = 0; i < operators.size(); ++i) {
    meant += (i ? " and " : "") + text_of(sums[i], text) + " " + text_of(operators[i], text) + " " + text_of(sums[i + 1], text);
  }
  if (meant.size() > 120) meant = "a < b and b < c";
  errors.error(span_of(context, text), "comparisons do not chain: write " + meant);
}

void check_condition(Grammar::ConditionContext* context, const TokenText& text, ErrorSink& errors) {
  if (!context->SET()) return;
  errors.error(text.span(context->SET()->getSymbol()), "a condition compares with '==', not '='", "write ==");
}

/// The only child that is a rule, as long as there is exactly one child: an expression without operators.
ParserRuleContext* unwrap(ParserRuleContext* context, size_t until_rule) {
  while (context && context->getRuleIndex() != until_rule && context->children.size() == 1) {
    context = dynamic_cast<ParserRuleContext*>(context->children[0]);
  }
  return context && context->getRuleIndex() == until_rule ? context : nullptr;
}

/// The postfix expression that an expression consists of, or null when there are operators around it.
Grammar::PostfixContext* as_postfix(ParserRuleContext* context) {
  return dynamic_cast<Grammar::PostfixContext*>(unwrap(context, Grammar::RulePostfix));
}

/// A name, a member of something, or an element of something.
bool assignable(ParserRuleContext* expression) {
  Grammar::PostfixContext* postfix = as_postfix(expression);
  if (!postfix) return false;
  const auto suffixes = postfix->suffix();
  if (suffixes.empty()) return dynamic_cast<Grammar::NamePrimaryContext*>(postfix->primary()) != nullptr;
  return dynamic_cast<Grammar::CallSuffixContext*>(suffixes.back()) == nullptr;
}

bool is_call(ParserRuleContext* expression) {
  Grammar::PostfixContext* postfix = as_postfix(expression);
  if (!postfix) return false;
  const auto suffixes = postfix->suffix();
  return !suffixes.empty() && dynamic_cast<Grammar::CallSuffixContext*>(suffixes.back());
}

void check_expression_statement(Grammar::ExpressionStatementContext* context, const TokenText& text, ErrorSink& errors) {
  const auto parts = context->expr();
  if (parts.empty() || parts[0]->exception) return;
  if (context->assign()) {
    if (assignable(parts[0])) return;
    errors.error(span_of(parts[0], text), "this cannot be assigned to", "a name, an element x[p] or a component v.x can");
    return;
  }
  if (is_call(parts[0])) return;
  auto* comparison = dynamic_cast<Grammar::ComparisonContext*>(unwrap(parts[0], Grammar::RuleComparison));
  const bool equals = comparison && comparison->compare().size() == 1 && text_of(comparison->compare(0), text) == "==";
  errors.error(span_of(parts[0], text), "this statement does nothing", equals ? "an assignment is written with '='" : "");
}

void check_node(ParserRuleContext* node, const TokenText& text, ErrorSink& errors) {
  switch (node->getRuleIndex()) {
    case Grammar::RuleComparison: check_comparison(static_cast<Grammar::ComparisonContext*>(node), text, errors); break;
    case Grammar::RuleCondition: check_condition(static_cast<Grammar::ConditionContext*>(node), text, errors); break;
    case Grammar::RuleStatement:
      if (auto* statement = dynamic_cast<Grammar::ExpressionStatementContext*>(node)) {
        check_expression_statement(statement, text, errors);
      }
      break;
    default: break;
  }
}

}  // namespace

void check_tree(ParserRuleContext* tree, const TokenText& text, ErrorSink& errors) {
  std::vector<ParserRuleContext*> waiting{tree};
  while (!waiting.empty()) {
    ParserRuleContext* node = waiting.back();
    waiting.pop_back();
    if (!node->exception) check_node(node, text, errors);
    for (auto child = node->children.rbegin(); child != node->children.rend(); ++child) {
      if (auto* rule = dynamic_cast<ParserRuleContext*>(*child)) waiting.push_back(rule);
    }
  }
}

}  // namespace adjoule::syntax
