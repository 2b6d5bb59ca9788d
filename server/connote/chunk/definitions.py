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
- `@head:field`: that field's text up to the first `(`; `@=name`: always this name; `@.`: the node itself;
- others are patterns over the text, such as `@alias`, in `connote.chunk.names`.

A node type may be a path: `a>b>c` is a c directly below a b directly below an a.
"""

from __future__ import annotations

# fmt: off
DEFINITIONS: dict[str, str] = {
    "python": (
        "class: class_definition | function: function_definition | module_value: assignment | lambda: assignment |"
        " member: class_definition>block>assignment class_definition>block>expression_statement>assignment | type:"
        " type_alias_statement@left/generic_type/identifier,left | wrap: decorated_definition | import:"
        " import_statement import_from_statement future_import_statement"
    ),
    "javascript": (
        "class: class_declaration class | function: function_declaration generator_function_declaration"
        " | method: method_definition | field: field_definition@property | value: variable_declarator"
        " | assigned: assignment_expression pair | test_call: call_expression"
        " | function: arguments>function_expression return_statement>function_expression"
        " arrow_function>function_expression"
        " | default: export_statement | wrap: export_statement lexical_declaration variable_declaration"
        " | local: statement_block | import: import_statement | attribute: decorator"
    ),
    "typescript": (
        "<javascript | class: abstract_class_declaration | interface: interface_declaration"
        " | type: type_alias_declaration | enum: enum_declaration"
        " | constant: enum_body>enum_assignment enum_body>property_identifier@. | namespace: internal_module module"
        " | method: abstract_method_signature method_signature | function: function_signature"
        " | field: public_field_definition | property: interface_body>property_signature"
        " type_alias_declaration>object_type>property_signature"
        " | promoted: required_parameter optional_parameter | wrap: ambient_declaration"
    ),
    "tsx": "<typescript",
    "go": (
        "function: function_declaration | method: method_declaration | type: type_spec type_alias"
        " | method: method_elem method_spec | field: field_declaration | constant?: const_spec"
        " | variable?: var_spec | wrap: type_declaration const_declaration var_declaration | local: block"
        " | import: import_spec"
    ),
    "rust": (
        "function: function_item function_signature_item | struct: struct_item union_item | enum: enum_item"
        " | constant: enum_variant | field: field_declaration_list>field_declaration | trait: trait_item"
        " | impl: impl_item@type | module: mod_item | type?: type_item associated_type"
        " | constant?: const_item static_item | macro: macro_definition | local: block"
        " | import: use_declaration extern_crate_declaration | attribute: attribute_item"
    ),
    "java": (
        "class: class_declaration record_declaration | interface: interface_declaration annotation_type_declaration"
        " | enum: enum_declaration | method: method_declaration annotation_type_element_declaration"
        " | constructor: constructor_declaration compact_constructor_declaration"
        " | constant: enum_constant constant_declaration@decl"
        " | field: field_declaration@decl record_declaration>formal_parameters>formal_parameter"
        " | import: import_declaration"
    ),
    "c": (
        "function: function_definition@decl | struct: struct_specifier union_specifier | enum: enum_specifier"
        " | constant: enumerator | prototype?: declaration field_declaration | type?: type_definition@decl"
        " | field: field_declaration@decl"
        " | variable?: translation_unit>declaration@decl declaration_list>declaration@decl"
        " preproc_if>declaration@decl preproc_ifdef>declaration@decl preproc_else>declaration@decl"
        " preproc_elif>declaration@decl | macro: preproc_function_def | constant: preproc_def"
        " | local: compound_statement | import: preproc_include"
    ),
    "cpp": (
        "<c | class: class_specifier | namespace: namespace_definition | type?: alias_declaration"
        " concept_definition | lambda: init_declarator | test_call: call_expression | wrap: template_declaration"
        " friend_declaration | import: using_declaration"
    ),
    "cuda": "<cpp",
    "csharp": (
        "class: class_declaration record_declaration | struct: struct_declaration record_struct_declaration"
        " | interface: interface_declaration | enum: enum_declaration | constant: enum_member_declaration"
        " | namespace: namespace_declaration file_scoped_namespace_declaration"
        " | method: method_declaration operator_declaration@operator destructor_declaration@destroyed"
        " conversion_operator_declaration@type | function: local_function_statement"
        " | constructor: constructor_declaration"
        " | property: property_declaration event_declaration indexer_declaration@this"
        " record_declaration>parameter_list>parameter"
        " | field: field_declaration@variable_declaration/variable_declarator/name"
        " event_field_declaration@variable_declaration/variable_declarator/name | type: delegate_declaration"
        " | body: accessor_list arrow_expression_clause enum_member_declaration_list | import: using_directive"
    ),
    "ruby": (
        "class: class | module: module | method: method singleton_method alias | constant?: assignment@constant"
        " | accessor: call | test_call: call | local: method"
    ),
    "php": (
        "class: class_declaration | interface: interface_declaration | trait: trait_declaration | enum:"
        " enum_declaration | constant: enum_case const_declaration@const_element/name | function:"
        " function_definition | method: method_declaration | property:"
        " property_declaration@property_element/name/name | promoted: property_promotion_parameter | assigned:"
        " assignment_expression | test_call: function_call_expression | namespace: namespace_definition | body:"
        " property_hook_list | import: namespace_use_declaration"
    ),
    "kotlin": (
        "class: class_declaration@type_identifier,simple_identifier,identifier"
        " object_declaration@type_identifier,simple_identifier,identifier"
        " companion_object@type_identifier,identifier | method:"
        " enum_entry>class_body>function_declaration@simple_identifier,identifier | function:"
        " function_declaration@simple_identifier,identifier | constructor: secondary_constructor@=constructor |"
        " constant: enum_entry@simple_identifier,identifier | type: type_alias@type_identifier,identifier |"
        " property?: property_declaration@variable_declaration/simple_identifier,variable_declaration/identifier |"
        " promoted: class_parameter | local: function_body lambda_literal anonymous_initializer | import:"
        " import_header import"
    ),
    "swift": (
        "class: class_declaration | interface: protocol_declaration"
        " | function: function_declaration protocol_function_declaration | constructor: init_declaration@=init"
        " | method: deinit_declaration@=deinit subscript_declaration@=subscript"
        " | type: typealias_declaration associatedtype_declaration | constant: enum_entry"
        " | property?: property_declaration protocol_property_declaration@name/bound_identifier"
        " | local: function_body lambda_literal | body: computed_property protocol_property_requirements"
        " | import: import_declaration"
    ),
    "scala": (
        "class: class_definition | trait: trait_definition | module: object_definition package_object | enum:"
        " enum_definition | constant: simple_enum_case full_enum_case | function: function_definition"
        " function_declaration | type?: type_definition | constant?: val_definition@pattern val_declaration |"
        " variable?: var_definition@pattern var_declaration | promoted: class_parameter | impl:"
        " extension_definition@extended given_definition | test_call: call_expression | wrap: enum_case_definitions"
        " | local: block indented_block | import: import_declaration"
    ),
    "lua": (
        "assigned: assignment_statement field | variable:"
        " chunk>variable_declaration>assignment_statement@variable_list/name"
        " chunk>assignment_statement@variable_list/name | function: function_declaration"
        " function_definition_statement local_function_definition_statement | test_call: function_call | wrap:"
        " variable_declaration"
    ),
    "luau": "<lua | type: type_definition",
    "bash": (
        "function: function_definition"
        " | variable: program>variable_assignment program>declaration_command>variable_assignment"
        " | wrap: declaration_command | bats: command"
    ),
    "fish": "function: function_definition",
    "elixir": (
        "call: call | attribute_value: unary_operator | attribute: unary_operator"
    ),
    "haskell": (
        "function: declarations>function@name/operator,name,infix/operator/variable,infix/operator"
        " declarations>bind@name/operator,name declarations>signature@name/operator,name,names/name"
        " class_declarations>function@name/operator,name,infix/operator class_declarations>bind@name/operator,name"
        " class_declarations>signature@name/operator,name,names/name"
        " instance_declarations>function@name/operator,name,infix/operator"
        " instance_declarations>bind@name/operator,name foreign_import>signature | type: data_type newtype"
        " type_synomym type_synonym type_family data_family | constant: data_constructor@constructor/name"
        " gadt_constructor newtype_constructor | field: field@name/variable | class: class | impl: instance | body:"
        " match data_constructors gadt_constructors class_declarations instance_declarations | wrap: foreign_import"
        " | import: import"
    ),
    "zig": (
        "function: function_declaration FnProto@function"
        " | test: test_declaration@first:string TestDecl@STRINGLITERALSINGLE,IDENTIFIER"
        " | constant?: variable_declaration@first:identifier VarDecl@variable_type_function"
        " | field: ContainerField@field_member"
        " | constant: ContainerField@ErrorUnionExpr/SuffixExpr/variable_type_function | wrap: Decl"
        " | local: block Block"
    ),
    "dart": (
        "class: class_definition@name,mixin_application_class/identifier mixin_declaration@identifier"
        " extension_declaration extension_type_declaration | enum: enum_declaration | constant: enum_constant"
        " | function: function_signature"
        " | constructor: constructor_signature@called constant_constructor_signature@called"
        " factory_constructor_signature@called"
        " | method: getter_signature setter_signature operator_signature@operator | type: type_alias@alias"
        " | field: declaration>static_final_declaration_list>static_final_declaration@identifier"
        " declaration>initialized_identifier_list>initialized_identifier@identifier"
        " | variable: program>static_final_declaration_list>static_final_declaration@identifier"
        " program>initialized_identifier_list>initialized_identifier@identifier | test_call: expression_statement"
        " | wrap: method_signature declaration | import: import_or_export | attribute: annotation marker_annotation"
    ),
    "julia": (
        "assigned: assignment | function: function_definition@word | macro: macro_definition@word"
        " | struct: struct_definition@word | type: abstract_definition@word primitive_definition@word"
        " | module: module_definition | constant: const_statement>assignment@identifier"
        " | variable: source_file>assignment@identifier module_definition>block>assignment@identifier"
        " | field: struct_definition>block>typed_expression@identifier struct_definition>block>identifier@."
        " struct_definition>block>assignment@typed_expression/identifier,identifier"
        " | test_call: macrocall_expression | wrap: const_statement"
        " | comment: source_file>string_literal block>string_literal | import: import_statement using_statement"
    ),
    "ocaml": (
        "constant?: let_binding@pattern"
        " | type: type_binding exception_definition@constructor_declaration/constructor_name"
        " | constant: variant_declaration>constructor_declaration@constructor_name"
        " | field: field_declaration@field_name instance_variable_definition@instance_variable_name"
        " | function: external@value_name | module: module_binding@module_name"
        " | interface: module_type_definition@module_type_name class_type_binding@class_type_name"
        " | class: class_binding@class_name"
        " | method: method_definition@method_name method_specification@method_name"
        " | function: value_specification@value_name | local: let_expression"
        " | wrap: value_definition type_definition module_definition class_definition class_type_definition"
        " | body: signature structure | import: open_module"
    ),
    "ocaml_interface": (
        "<ocaml"
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
        "function?: function_or_value_defn@function_declaration_left/identifier"
        ",function_declaration_left/active_pattern,function_declaration_left/op_identifier"
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
    "make": (
        "rule: rule@targets | variable: variable_assignment | macro: define_directive"
        " | wrap: override_directive export_directive"
    ),
    "cmake": (
        "function: function_def@function_command/argument_list/argument"
        " | macro: macro_def@macro_command/argument_list/argument | named_call: normal_command | body: body"
    ),
    "dockerfile": "block: from_instruction@as,image_spec/name | variable: arg_instruction env_pair",
    "vim": (
        "function: function_definition@function_declaration/name command_statement"
        " | let: let_statement const_statement"
    ),
    "nix": "variable: binding@attrpath",
    "gdscript": (
        "class: class_definition class_name_statement | enum: enum_definition | function: function_definition"
        " | constructor: constructor_definition@_init | variable?: variable_statement | constant?: const_statement"
        " | field: signal_statement | attribute: annotation"
    ),
    "verilog": (
        "module: module_declaration@module_header/simple_identifier package_declaration@package_identifier"
        " udp_declaration@udp_nonansi_declaration/simple_identifier,udp_ansi_declaration/simple_identifier"
        " program_declaration@program_ansi_header/program_identifier,program_nonansi_header/program_identifier"
        " | interface: interface_declaration@interface_ansi_header/interface_identifier"
        ",interface_nonansi_header/interface_identifier | class: class_declaration@class_identifier"
        " | function: function_declaration@function_body_declaration/function_identifier"
        " task_declaration@task_body_declaration/task_identifier | constructor: class_constructor_declaration@new"
        " | type: type_declaration@simple_identifier"
        " | field: class_property@data_declaration/list_of_variable_decl_assignments/variable_decl_assignment"
        "/simple_identifier | wrap: class_method"
        " | constant?: local_parameter_declaration@list_of_param_assignments/param_assignment/parameter_identifier"
        " parameter_declaration@list_of_param_assignments/param_assignment/parameter_identifier"
        " | macro: text_macro_definition@text_macro_name/text_macro_identifier"
    ),
    "fortran": (
        "module: module@module_statement/name submodule@submodule_statement/name program@program_statement/name"
        " | function: subroutine@subroutine_statement/name function@function_statement/name"
        " | interface: interface@interface_statement/name"
        " | struct: derived_type_definition@derived_type_statement/type_name"
        " | variable?: variable_declaration@declarator/left,declarator | import: use_statement"
    ),
    "pascal": (
        "module: unit@moduleName program@moduleName library@moduleName | function: declProc | class: declType"
        " | constant?: declConst | variable?: declVar | field: declField | property: declProp"
        " | wrap: defProc | import: declUses"
    ),
    "html": "embedded: script_element style_element",
    "vue": "<html",
    "svelte": "<html | function: snippet_statement@word",
    "astro": "<html | embedded: frontmatter",
    "starlark": (
        "function: function_definition | module_value: assignment | lambda: assignment | target: call"
    ),
    "thrift": (
        "struct: struct_definition@type union_definition@type exception_definition@identifier"
        " | interface: service_definition@type | enum: enum_definition@type | method: function_definition@identifier"
        " | field: field@identifier | constant: const_definition@identifier"
        " | type: typedef_definition@typedef_identifier"
    ),
    "prisma": (
        "class: model_block@identifier | enum: enum_block@identifier | block: key_value_block@identifier"
        " | field: model_field@field_name"
    ),
    "elm": (
        "function?: value_declaration@functionDeclarationLeft/lower_case_identifier port_annotation"
        " | type: type_alias_declaration type_declaration | module: module_declaration"
        " | attribute: type_annotation | import: import_clause | body: eq"
    ),
    "d": (
        "module: module_def@module_declaration/module_fqn | class: class_declaration@identifier"
        " | interface: interface_declaration@identifier | struct: struct_declaration@identifier"
        " union_declaration@identifier | enum: enum_declaration@identifier"
        " | function: function_declaration@identifier | constructor: constructor@this | method: destructor@=~this"
        " | macro: template_declaration@identifier | type?: alias_declaration@alias_initializer/identifier"
        " | constant?: manifest_constant@manifest_declarator/identifier | value: auto_declaration"
        " | variable?: variable_declaration@declarator/identifier | test: unittest_declaration@=unittest"
        " | wrap: mixin_template_declaration | import: import_declaration"
        " | body: aggregate_body function_body block_statement"
    ),
    "ada": (
        "module: package_body package_declaration | function: subprogram_body@procedure_specification/name"
        ",function_specification/name expression_function_declaration@function_specification/name"
        " subprogram_declaration@procedure_specification/name,function_specification/name"
        " generic_subprogram_declaration@procedure_specification/name,function_specification/name"
        " | variable?: object_declaration | type: full_type_declaration@identifier,task_type_declaration/identifier"
        ",protected_type_declaration/identifier private_type_declaration@identifier subtype_declaration@identifier"
        " exception_declaration@identifier | class: task_body@identifier protected_body@identifier"
        " | import: with_clause | body: non_empty_declarative_part begin"
    ),
    "glsl": "<c | interface_block: declaration",
    "hlsl": "<cpp",
    "tcl": (
        "namespace: namespace@evaluated | function: procedure | variable?: set@id"
        " | class: command@created | method: command@method | constructor: command@constructor"
    ),
    "nim": (
        "function: proc_declaration@name/identifier,name/accent_quoted,name func_declaration@name/identifier"
        ",name/accent_quoted,name iterator_declaration@name/identifier,name converter_declaration@name/identifier,name"
        " | method: method_declaration@name/identifier,name"
        " | macro: template_declaration@name/identifier,name macro_declaration@name/identifier,name"
        " | type: type_declaration@type_symbol_declaration/name/identifier,type_symbol_declaration/name"
        " | field: field_declaration@symbol_declaration_list/symbol_declaration/name/identifier"
        ",symbol_declaration_list/symbol_declaration"
        " | constant?: const_section>variable_declaration@symbol_declaration_list/symbol_declaration"
        " | variable?: var_section>variable_declaration@symbol_declaration_list/symbol_declaration"
        " let_section>variable_declaration@symbol_declaration_list/symbol_declaration"
        " | import: import_statement import_from_statement | doc: documentation_comment"
    ),
    "odin": (
        "module: package_declaration@identifier | function: procedure_declaration@identifier"
        " overloaded_procedure_declaration@identifier | enum: enum_declaration@identifier"
        " | struct: struct_declaration@identifier union_declaration@identifier | field: field@identifier"
        " | constant?: const_declaration@identifier"
        " | variable?: var_declaration@identifier variable_declaration@identifier"
        " | import: import_declaration"
    ),
    "v": (
        "module: module_clause@module_identifier | function: function_declaration | struct: struct_declaration"
        " | enum: enum_declaration | interface: interface_declaration | type: type_declaration"
        " | constant: const_spec | variable: global_var_spec | field: struct_field_declaration"
        " | method: interface_spec | import: import_declaration | wrap: const_declaration global_var_declaration"
        " | body: struct_field_declaration_list enum_member_declaration_list interface_spec_list"
    ),
    "matlab": (
        "class: class_definition | function: function_definition | property: property | constant: enum@identifier"
        " | doc: comment | body: block"
    ),
    "gleam": (
        "function: function external_function | type: type_definition@type_name/name type_alias@type_name/name"
        " | constant: constant | import: import | attribute: attribute | body: data_constructors"
    ),
    "fennel": (
        "function: fn lambda | list: list | variable?: local@binding/symbol var@binding/symbol global@binding/symbol"
        " | doc: string"
    ),
    "capnp": (
        "struct: struct@type_identifier union@type_identifier group@type_identifier | enum: enum@enum_identifier"
        " | interface: interface@type_identifier | method: method@method_identifier"
        " | field: field@field_identifier union_field@field_identifier | constant: const@const_identifier"
        " | type: annotation@annotation_definition_identifier | import: using_directive"
    ),
    "vhdl": (
        "module: package_declaration package_body@package entity_declaration | impl: architecture_body"
        " | interface: component_declaration | function: function_body@designator procedure_body@designator"
        " function_declaration@designator procedure_declaration@designator | block: process_statement@label/identifier"
        " | type: full_type_declaration subtype_declaration"
        " | constant?: constant_declaration@identifier_list/identifier"
        " | variable?: signal_declaration@identifier_list/identifier | import: use_clause"
        " | body: declarative_part sequence_of_statements concurrent_statement_part begin"
    ),
    "json": "outer_key: pair@key",
    "yaml": "outer_key: block_mapping_pair@key",
    "toml": (
        "outer_key: pair | key: table@first:bare_key,dotted_key,quoted_key"
        " table_array_element@first:bare_key,dotted_key,quoted_key"
    ),
}
"""Grammar name to its row."""
# fmt: on
