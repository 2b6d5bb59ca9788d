"""Rules of a garden, "Gärten"."""

load("@rules_cc//cc:defs.bzl", "cc_library")
load(":private.bzl", helper = "private_helper")

LIMIT = 100

_GREETING = "Grüße 🎉"

# What a plant provides.
PlantInfo = provider(
    doc = "A plant.",
    fields = {
        "name": "How it is called.",
        "depth": "How deep it is.",
    },
)

def _plant_impl(ctx):
    """Plants something.

    Args:
      ctx: The context.
    """
    def inner(x):
        return x + 1

    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(out, str(inner(ctx.attr.depth)))
    return [DefaultInfo(files = depset([out]))]

# A rule for plants.
plant = rule(
    implementation = _plant_impl,
    attrs = {
        "depth": attr.int(default = 3),
        "deps": attr.label_list(),
    },
)

def garden(name, plants = [], **kwargs):
    """Makes a garden."""
    for p in plants:
        plant(name = name + "_" + p, depth = 2)
    cc_library(name = name, **kwargs)

double = lambda x: x * 2

cc_library(
    name = "größe",
    srcs = ["a.c"],
)
