"""Rows of all other languages: scripts, functional, hardware, data, markup; `definitions` explains the notation."""

from __future__ import annotations

# fmt: off
SPECIAL: dict[str, str] = {
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
