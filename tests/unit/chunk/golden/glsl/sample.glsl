// A light on a surface.
#version 450 core
#extension GL_ARB_separate_shader_objects : enable
#define LIGHTS 4
#define SQUARE(x) ((x) * (x))

layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 colour;

uniform sampler2D image;
uniform mat4 view;

const float PI = 3.14159;

/* A light, "Größe". */
struct Light {
    vec3 position;
    vec3 colour;
    float power;
};

layout(std140, binding = 0) uniform Lights {
    Light lights[LIGHTS];
    int count;
};

buffer Data {
    float values[];
};

// How bright a place is.
float brightness(vec3 normal, vec3 direction) {
    return max(dot(normal, direction), 0.0);
}

vec3 shade(in Light light, vec3 normal);

vec3 shade(in Light light, vec3 normal)
{
    vec3 direction = normalize(light.position - position);
    float b = brightness(normal, direction);
    return light.colour * b * light.power;
}

/// Where a program begins: 🎉.
void main() {
    vec3 sum = vec3(0.0);
    for (int i = 0; i < count; ++i) {
        sum += shade(lights[i], vec3(0.0, 1.0, 0.0));
    }
    colour = vec4(sum, 1.0) * texture(image, uv);
}
