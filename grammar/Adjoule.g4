// The syntax of Adjoule, the one definition of it. Two habits keep it fast and the C++ stack shallow: every binary
// operator is a flat list with a loop (left recursion would make the tree as deep as a sum is long), and nothing is tried
// twice ('(' expr ')' and a tuple are one rule). What is easier to explain than to forbid is let through here and reported
// by compiler/syntax/tree_checks.cpp: chains of comparisons, '=' in a condition, a statement that does nothing.
grammar Adjoule;

program : item* EOF ;

item
  : 'import' STRING ';'                                                        # importItem
  | 'size' name ('=' expr)? ';'                                                # sizeItem
  | 'space' name ('(' expr ')')? ';'                                           # spaceItem
  | 'grid' name '(' expr (',' expr)* ')' ('boundary' rules)? ';'               # gridItem
  | 'const' name (':' type)? '=' expr ';'                                      # constItem
  | role=('param' | 'input' | 'state') name indices? ':' type ('=' expr)? ';'  # fieldItem
  | 'struct' name '{' member* '}'                                              # structItem
  | 'fn' name '(' parameters? ')' '->' type block                              # fnItem
  | 'adjoint' name '(' parameters ')' '->' results block                       # adjointItem
  | 'proc' name '(' parameters? ')' block                                      # procItem
  | 'init' block                                                               # initItem
  | 'step' block                                                               # stepItem
  | 'loss' name? block                                                         # lossItem
  ;

rules : name | '(' name (',' name)* ')' ;
indices : '[' name (',' name)* ']' ;
member : name ':' type ';' ;
parameters : parameter (',' parameter)* ;
parameter : name indices? (':' type)? ;             // without a type: a function given by name
results : type | '(' type (',' type)* ')' ;
type : name ('<' type '>')? brackets* ;             // stack<real[Cell]>, vec2[3]
brackets : '[' expr (',' expr)* ']' ;

block : '{' statement* '}' ;
statement
  : 'let' name (':' type)? '=' expr ';'                                        # letStatement
  | 'var' name indices? (':' type)? ('=' expr)? ';'                            # varStatement
  | 'serial'? 'for' iterator (',' iterator)* block                             # forStatement
  | 'while' condition block                                                    # whileStatement
  | 'if' condition block ('else' 'if' condition block)* ('else' block)?        # ifStatement
  | 'break' ';'                                                                # breakStatement
  | 'continue' ';'                                                             # continueStatement
  | 'return' expr ';'                                                          # returnStatement
  | 'solve' name indices ':' type 'by' name ('(' option (',' option)* ')')? block  # solveStatement
  | block                                                                      # blockStatement
  | expr (assign expr)? ';'                                                    # expressionStatement
  ;
condition : expr ('=' expr)? ;                      // the '=' is reported: it was meant to be '=='
iterator : name 'in' (range | 'reversed' '(' range ')') ;
range : expr ('..' expr)? ;
option : name '=' expr ;
assign : '=' | '+=' | '-=' | '*=' | '/=' | 'min' '=' | 'max' '=' ;   // two tokens, or cg(max=200) would break

expr : disjunction ('?' expr ':' disjunction)* ;
disjunction : conjunction ('or' conjunction)* ;
conjunction : negation ('and' negation)* ;
negation : 'not'* comparison ;
comparison : sum (compare sum)* ;                   // more than one is reported: comparisons do not chain
compare : '==' | '!=' | '<' | '<=' | '>' | '>=' ;
sum : product (plus product)* ;
plus : '+' | '-' ;
product : unary (times unary)* ;
times : '*' | '/' ;
unary : plus* power ;
power : postfix exponent* ;
exponent : '^' plus* postfix ;
postfix : primary suffix* ;
suffix
  : '[' expr (',' expr)* ']'                                                   # indexSuffix
  | '.' name                                                                   # memberSuffix
  | '(' (expr (',' expr)*)? ')'                                                # callSuffix
  ;
primary
  : INT                                                                        # intPrimary
  | REAL                                                                       # realPrimary
  | ('true' | 'false')                                                         # boolPrimary
  | name                                                                       # namePrimary
  | '(' expr (',' expr)* ')'                                                   # parenPrimary
  | '[' expr (',' expr)* ']'                                                   # arrayPrimary
  ;

// Words that mean something in one place only stay usable as names.
name
  : ID | 'min' | 'max' | 'size' | 'space' | 'grid' | 'boundary' | 'by' | 'step' | 'loss' | 'init' | 'state' | 'input'
  | 'solve' | 'import'
  ;

IMPORT : 'import' ;
SIZE : 'size' ;
SPACE : 'space' ;
GRID : 'grid' ;
BOUNDARY : 'boundary' ;
CONST : 'const' ;
PARAM : 'param' ;
INPUT : 'input' ;
STATE : 'state' ;
STRUCT : 'struct' ;
FN : 'fn' ;
ADJOINT : 'adjoint' ;
PROC : 'proc' ;
INIT : 'init' ;
STEP : 'step' ;
LOSS : 'loss' ;
LET : 'let' ;
VAR : 'var' ;
SERIAL : 'serial' ;
FOR : 'for' ;
IN : 'in' ;
REVERSED : 'reversed' ;
WHILE : 'while' ;
IF : 'if' ;
ELSE : 'else' ;
BREAK : 'break' ;
CONTINUE : 'continue' ;
RETURN : 'return' ;
SOLVE : 'solve' ;
BY : 'by' ;
MIN : 'min' ;
MAX : 'max' ;
OR : 'or' ;
AND : 'and' ;
NOT : 'not' ;
TRUE : 'true' ;
FALSE : 'false' ;

SEMI : ';' ;
COMMA : ',' ;
COLON : ':' ;
QUESTION : '?' ;
DOT : '.' ;
RANGE : '..' ;
ARROW : '->' ;
OPEN : '(' ;
CLOSE : ')' ;
OPEN_BRACKET : '[' ;
CLOSE_BRACKET : ']' ;
OPEN_BRACE : '{' ;
CLOSE_BRACE : '}' ;
SET : '=' ;
ADD_SET : '+=' ;
SUB_SET : '-=' ;
MUL_SET : '*=' ;
DIV_SET : '/=' ;
EQUAL : '==' ;
NOT_EQUAL : '!=' ;
LESS : '<' ;
LESS_EQUAL : '<=' ;
GREATER : '>' ;
GREATER_EQUAL : '>=' ;
PLUS : '+' ;
MINUS : '-' ;
TIMES : '*' ;
DIVIDE : '/' ;
HAT : '^' ;

INT : [0-9]+ ;
REAL : [0-9]+ '.' [0-9]+ EXPONENT? | [0-9]+ EXPONENT ;
fragment EXPONENT : [eE] [+-]? [0-9]+ ;
ID : [A-Za-z_] [A-Za-z_0-9]* ;
STRING : '"' ~["\r\n]* '"' ;
COMMENT : '//' ~[\r\n]* -> channel(HIDDEN) ;
BLANK : [ \t\r\n]+ -> channel(HIDDEN) ;

// Never valid: recognised only so that compiler/syntax/tokens.cpp can say what to write instead.
WRONG_AND : '&&' | '&' ;
WRONG_OR : '||' | '|' ;
WRONG_NOT : '!' ;
WRONG_POWER : '**' ;
WRONG_MOD : '%' ;
WRONG_RANGE : '...' ;
WRONG_COMMENT : '/*' .*? ('*/' | EOF) ;
WRONG_STRING : '"' ~["\r\n]* ;
WRONG : . ;
