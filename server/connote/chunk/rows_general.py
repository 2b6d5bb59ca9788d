"""Rows of the general-purpose languages that most code is written in; `definitions` explains the notation."""

from __future__ import annotations

# fmt: off
GENERAL: dict[str, str] = {
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
}
"""Grammar name to its row."""
# fmt: on
