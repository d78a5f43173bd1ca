/* calc: evaluates arithmetic expressions with a small tree */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    char operator;
    double value;
    struct node *left, *right;
};

struct variable {
    char *name;
    double value;
    struct variable *next;
};

static struct variable *variables;

static void set_variable(const char *name, double value)
{
    struct variable *v = malloc(sizeof *v);
    v->name = strdup(name);
    v->value = value;
    v->next = variables;
    variables = v;
}

static double get_variable(char name)
{
    for (struct variable *v = variables; v; v = v->next)
        if (v->name[0] == name)
            return v->value;
    return 0;
}

static struct node *new_node(struct node *left, struct node *right, char operator, double value)
{
    struct node *n = malloc(sizeof *n);
    *n = (struct node){operator, value, left, right};
    return n;
}

static struct node *new_leaf(char operator, double value)
{
    return new_node(NULL, NULL, operator, value);
}

static struct node *parse_sum(const char **p);

static struct node *parse_atom(const char **p)
{
    if (**p == '(') {
        ++*p;
        struct node *n = parse_sum(p);
        ++*p;
        return n;
    }
    if (isalpha((unsigned char)**p))
        return new_leaf('v', *(*p)++);
    char *end;
    double value = strtod(*p, &end);
    *p = end;
    return new_leaf('n', value);
}

static struct node *parse_product(const char **p)
{
    struct node *n = parse_atom(p);
    while (**p == '*' || **p == '/') {
        char operator = *(*p)++;
        struct node *right = parse_atom(p);
        n = new_node(n, right, operator, 0);
    }
    return n;
}

static struct node *parse_sum(const char **p)
{
    struct node *n = parse_product(p);
    while (**p == '+' || **p == '-') {
        char operator = *(*p)++;
        struct node *right = parse_product(p);
        n = new_node(n, right, operator, 0);
    }
    return n;
}

static double evaluate(const struct node *n)
{
    switch (n->operator) {
    case 'n': return n->value;
    case 'v': return get_variable((char)n->value);
    case '+': return evaluate(n->left) + evaluate(n->right);
    case '-': return evaluate(n->left) - evaluate(n->right);
    case '*': return evaluate(n->left) * evaluate(n->right);
    default: return evaluate(n->left) / evaluate(n->right);
    }
}

static void free_tree(struct node *n)
{
    if (!n)
        return;
    free_tree(n->left);
    free_tree(n->right);
    free(n);
}

static void show(const char *line)
{
    const char *p = line;
    struct node *n = parse_sum(&p);
    printf("%s = %g\n", line, evaluate(n));
    free_tree(n);
}

int main(void)
{
    static const char *const lines[] = {"1+2*3", "(x+4)*(y-2)/3", "x*x*x-y", "((((1))))+x/(2+y*(3-x))"};
    set_variable("x", 7);
    set_variable("y", 1.5);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        show(lines[i]);
    }
    while (variables) {
        struct variable *v = variables;
        variables = v->next;
        free(v->name);
        free(v);
    }
    return 0;
}
