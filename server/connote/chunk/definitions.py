"""What defines something in each language: one declarative row per grammar, read by `connote.chunk.outline`.

A row is `kind: node_type[@rule] node_type … | kind: …`; `<other` takes over the row of another grammar.
Node types that the installed grammar does not know are left out, so that one row serves old and new grammars.

Kinds are those of `connote.model.SYMBOL_KINDS`, and some words that define nothing themselves:

- `wrap`: stands around a definition, which takes over its range (`export`, decorators, `template <…>`);
- `local`: a body; the kinds marked `?` are left out directly inside one (a local variable is no definition);
- `import`: an import statement;
- `embedded`: holds a text of another language, read by `connote.chunk.embedded`;
- `attribute`: an annotation that is a sibling of what it belongs to;
- `body`: what a signature ends before, where no field and no usual name says so;
- `doc`: what stands first in a definition, or first in its body, and documents it.

Kinds with their own logic are functions of `connote.chunk.special`: `value`, `assigned`, `call`, `list` and others.

The rules after `@` say where the name stands; without one it is the field `name`:

- `@field`: the text of that field; `@a/b`: of what is found on this way down, each step a field or the type of a child;
  `@a/b,c`: on the first of these ways that leads somewhere;
- `@first:t1,t2`: the field `name`, else the first child of one of these types;
- `@decl`: the field `declarator`, followed down to the identifier (the C family);
- `@word`: the first word after a keyword; `@labels`: the labels before `{`, joined by dots;
- `@head:field`: that field's text up to the first `(`; `@=name`: always this name.
"""

from __future__ import annotations

# fmt: off
DEFINITIONS: dict[str, str] = {
    "python": (
        "class: class_definition | function: function_definition | module_value: assignment | lambda: assignment"
        " | type: type_alias_statement@left | wrap: decorated_definition"
        " | import: import_statement import_from_statement future_import_statement"
    ),
    "javascript": (
        "class: class_declaration class | function: function_declaration generator_function_declaration"
        " | method: method_definition | field: field_definition@property | value: variable_declarator"
        " | assigned: assignment_expression pair | test_call: call_expression"
        " | default: export_statement | wrap: export_statement lexical_declaration variable_declaration"
        " | local: statement_block | import: import_statement | attribute: decorator"
    ),
    "typescript": (
        "<javascript | class: abstract_class_declaration | interface: interface_declaration"
        " | type: type_alias_declaration | enum: enum_declaration | namespace: internal_module module"
        " | method: abstract_method_signature method_signature | function: function_signature"
        " | field: public_field_definition | wrap: ambient_declaration"
    ),
    "tsx": "<typescript",
    "go": (
        "function: function_declaration | method: method_declaration | type: type_spec type_alias"
        " | method: method_elem method_spec | constant?: const_spec | variable?: var_spec"
        " | wrap: type_declaration const_declaration var_declaration | local: block | import: import_spec"
    ),
    "rust": (
        "function: function_item function_signature_item | struct: struct_item union_item | enum: enum_item"
        " | trait: trait_item | impl: impl_item@type | module: mod_item | type?: type_item associated_type"
        " | constant?: const_item static_item | macro: macro_definition | local: block"
        " | import: use_declaration extern_crate_declaration | attribute: attribute_item"
    ),
    "java": (
        "class: class_declaration record_declaration | interface: interface_declaration annotation_type_declaration"
        " | enum: enum_declaration | method: method_declaration annotation_type_element_declaration"
        " | constructor: constructor_declaration compact_constructor_declaration | constant: enum_constant"
        " | import: import_declaration"
    ),
    "c": (
        "function: function_definition@decl | struct: struct_specifier union_specifier | enum: enum_specifier"
        " | prototype?: declaration field_declaration | type?: type_definition@decl"
        " | macro: preproc_function_def | constant: preproc_def"
        " | local: compound_statement | import: preproc_include"
    ),
    "cpp": (
        "<c | class: class_specifier | namespace: namespace_definition | type?: alias_declaration concept_definition"
        " | lambda: init_declarator | wrap: template_declaration | import: using_declaration"
    ),
    "cuda": "<cpp",
    "csharp": (
        "class: class_declaration record_declaration | struct: struct_declaration record_struct_declaration"
        " | interface: interface_declaration | enum: enum_declaration"
        " | namespace: namespace_declaration file_scoped_namespace_declaration"
        " | method: method_declaration local_function_statement destructor_declaration operator_declaration@operator"
        " | constructor: constructor_declaration | property: property_declaration | type: delegate_declaration"
        " | import: using_directive"
    ),
    "ruby": (
        "class: class singleton_class@value | module: module | method: method singleton_method"
        " | constant?: assignment@constant | local: method"
    ),
    "php": (
        "class: class_declaration | interface: interface_declaration | trait: trait_declaration"
        " | enum: enum_declaration | function: function_definition | method: method_declaration"
        " | namespace: namespace_definition | import: namespace_use_declaration"
    ),
    "kotlin": (
        "class: class_declaration@first:type_identifier,simple_identifier,identifier"
        " object_declaration@first:type_identifier,simple_identifier,identifier"
        " companion_object@first:type_identifier,identifier"
        " | function: function_declaration@first:simple_identifier,identifier"
        " | type: type_alias@first:type_identifier,identifier"
        " | property?: property_declaration@first:variable_declaration | local: function_body lambda_literal"
        " | import: import_header import"
    ),
    "swift": (
        "class: class_declaration | interface: protocol_declaration"
        " | function: function_declaration protocol_function_declaration"
        " | constructor: init_declaration@=init deinit_declaration@=deinit | type: typealias_declaration"
        " | property?: property_declaration | local: function_body lambda_literal | import: import_declaration"
    ),
    "scala": (
        "class: class_definition | trait: trait_definition | module: object_definition package_object"
        " | enum: enum_definition | function: function_definition function_declaration | type?: type_definition"
        " | constant?: val_definition@pattern given_definition | impl: extension_definition@parameters"
        " | local: block indented_block | import: import_declaration"
    ),
    "lua": (
        "assigned: assignment_statement field"
        " | function: function_declaration function_definition_statement local_function_definition_statement"
    ),
    "luau": "<lua",
    "bash": "function: function_definition",
    "fish": "function: function_definition",
    "elixir": "call: call | attribute: unary_operator",
    "haskell": (
        "function?: function bind signature | type: data_type newtype type_synomym type_synonym"
        " | class: class | impl: instance | local: local_binds let | import: import"
    ),
    "zig": (
        "function: function_declaration FnProto@function"
        " | test: test_declaration@first:string TestDecl@first:STRINGLITERALSINGLE"
        " | constant?: variable_declaration@first:identifier VarDecl@variable_type_function | wrap: Decl"
        " | local: block Block"
    ),
    "dart": (
        "class: class_definition mixin_declaration@first:identifier extension_declaration | enum: enum_declaration"
        " | function: function_signature"
        " | constructor: constructor_signature factory_constructor_signature@first:identifier"
        " | method: getter_signature setter_signature | type: type_alias@first:type_identifier"
        " | import: import_or_export | attribute: annotation marker_annotation"
    ),
    "julia": (
        "assigned: assignment | function: function_definition@word | macro: macro_definition@word"
        " | struct: struct_definition@first:type_head,identifier | module: module_definition"
        " | import: import_statement using_statement"
    ),
    "ocaml": (
        "function?: let_binding@pattern | type: type_binding | module: module_binding@first:module_name"
        " | interface: module_type_definition@first:module_type_name | class: class_binding@first:class_name"
        " | local: let_expression | wrap: value_definition type_definition module_definition | import: open_module"
    ),
    "ocaml_interface": (
        "<ocaml | function: value_specification@first:value_name"
    ),
    "perl": (
        "function: subroutine_declaration_statement | module: package_statement | assigned: assignment_expression"
        " | variable?: assignment_expression@left/variable/varname | used_constant: use_statement"
        " | local: block | import: use_statement"
    ),
    "r": (
        "assigned: binary_operator | named_call: call binary_operator | outer_value: binary_operator | listed: argument"
    ),
    "powershell": (
        "function: function_statement@function_name | class: class_statement@simple_name"
        " | method: class_method_definition@simple_name | field: class_property_definition@variable"
        " | enum: enum_statement@simple_name | body: script_block"
    ),
    "objc": (
        "class: class_interface@identifier class_implementation@identifier"
        " | interface: protocol_declaration@identifier"
        " | method: method_definition@identifier method_declaration@identifier"
        " | property: property_declaration@struct_declaration/struct_declarator/pointer_declarator/declarator"
        ",struct_declaration/struct_declarator | typedef?: type_definition"
        " | function: function_definition@decl | prototype?: declaration"
        " | struct: struct_specifier union_specifier | enum: enum_specifier"
        " | macro: preproc_function_def | constant: preproc_def"
        " | local: compound_statement | import: preproc_include module_import"
    ),
    "solidity": (
        "class: contract_declaration library_declaration | interface: interface_declaration"
        " | struct: struct_declaration | enum: enum_declaration | function: function_definition modifier_definition"
        " | type: event_definition error_declaration user_defined_type_definition"
        " | constructor: constructor_definition@=constructor | method: fallback_receive_definition@receive,fallback"
        " | constant: constant_variable_declaration | field: state_variable_declaration | import: import_directive"
    ),
    "proto": (
        "class: message@message_name | enum: enum@enum_name | interface: service@service_name"
        " | method: rpc@rpc_name | import: import"
    ),
    "graphql": (
        "type: object_type_definition input_object_type_definition scalar_type_definition union_type_definition"
        " directive_definition object_type_extension interface_type_extension input_object_type_extension"
        " | interface: interface_type_definition | enum: enum_type_definition enum_type_extension"
        " | field: field_definition | function: operation_definition fragment_definition@fragment_name"
        " | doc: description | body: fields_definition input_fields_definition enum_values_definition selection_set"
    ),
    "hcl": "block: block@labels",
    "terraform": "<hcl",
    "sql": (
        "table: create_table@object_reference/name | view: create_view@object_reference/name"
        " create_materialized_view@object_reference/name | function: create_function@object_reference/name"
        " create_trigger@object_reference/name | type: create_type@object_reference/name"
        " | body: column_definitions create_query function_body"
    ),
    "erlang": (
        "function: function_clause callback@fun | type: type_alias@name/name opaque@name/name | struct: record_decl"
        " | module: module_attribute | macro: pp_define@lhs/name | wrap: fun_decl | attribute: spec"
    ),
    "clojure": "list: list_lit | doc: str_lit",
    "commonlisp": "list: list_lit defun | doc: str_lit",
    "elisp": "list: list special_form function_definition macro_definition | doc: string",
    "scheme": "list: list",
    "racket": "list: list",
    "fsharp": (
        "function?: function_or_value_defn@function_declaration_left/identifier,function_declaration_left/active_pattern"
        " | constant?: function_or_value_defn@value_declaration_left/identifier_pattern"
        " | namespace: namespace | module: named_module module_defn@identifier"
        " | enum: union_type_defn@type_name/type_name enum_type_defn@type_name/type_name"
        " | struct: record_type_defn@type_name/type_name | class: anon_type_defn@type_name/type_name"
        " | type: type_abbrev_defn@type_name/type_name exception_definition@exception_name"
        " | method: member_defn@method_or_prop_defn/name/method,method_or_prop_defn/name/identifier"
        ",member_signature/identifier | constructor: member_defn@additional_constr_defn/new"
        " | wrap: type_definition declaration_expression | import: import_decl"
        " | body: union_type_cases enum_type_cases record_fields type_extension_elements"
    ),
    "css": "rule: rule_set@selectors keyframes_statement@keyframes_name",
    "scss": "<css | function: mixin_statement function_statement | variable?: declaration@property_name | local: block",
    "make": "rule: rule@targets | variable: variable_assignment | macro: define_directive",
    "cmake": (
        "function: function_def@function_command/argument_list/argument"
        " | macro: macro_def@macro_command/argument_list/argument | named_call: normal_command | body: body"
    ),
    "dockerfile": "block: from_instruction@as,image_spec/name | variable: arg_instruction env_pair",
    "vim": "function: function_definition@first:function_declaration",
    "nix": "variable: binding@attrpath",
    "gdscript": (
        "class: class_definition class_name_statement | function: function_definition | constant: const_statement"
    ),
    "verilog": "module: module_declaration@first:module_header,simple_identifier | function: function_declaration",
    "fortran": (
        "module: module@first:module_statement program@first:program_statement"
        " | function: subroutine@first:subroutine_statement function@first:function_statement"
    ),
    "pascal": "function: defProc@header declProc | class: declType",
    "html": "embedded: script_element style_element",
    "vue": "<html",
    "svelte": "<html | function: snippet_statement@word",
    "astro": "<html | embedded: frontmatter",
    "starlark": "function: function_definition",
    "thrift": (
        "struct: struct_definition@first:identifier exception_definition@first:identifier"
        " | interface: service_definition@first:identifier | enum: enum_definition@first:identifier"
    ),
    "prisma": "class: model_block@first:identifier type_block@first:identifier | enum: enum_block@first:identifier",
    "json": "outer_key: pair@key",
    "yaml": "outer_key: block_mapping_pair@key",
    "toml": (
        "outer_key: pair | key: table@first:bare_key,dotted_key,quoted_key"
        " table_array_element@first:bare_key,dotted_key,quoted_key"
    ),
}
"""Grammar name to its row."""
# fmt: on
