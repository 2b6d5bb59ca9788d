// A light on a surface.
#include "common.hlsli"
#define LIGHTS 4

static const float PI = 3.14159;

// What all shaders see.
cbuffer Frame : register(b0)
{
    float4x4 view;
    float time;
};

Texture2D image : register(t0);
SamplerState linearSampler : register(s0);
RWStructuredBuffer<float> results : register(u0);

/* A vertex, "Größe". */
struct VertexIn
{
    float3 position : POSITION;
    float2 uv : TEXCOORD0;
};

struct VertexOut
{
    float4 position : SV_POSITION;
    float2 uv : TEXCOORD0;
};

enum class Mode { Flat, Smooth };

interface IShade
{
    float4 Shade(float3 normal);
};

class Plain : IShade
{
    float4 colour;
    float4 Shade(float3 normal) { return colour; }
};

/// Moves a vertex.
VertexOut VSMain(VertexIn input)
{
    VertexOut output;
    output.position = mul(view, float4(input.position, 1.0));
    output.uv = input.uv;
    return output;
}

float4 PSMain(VertexOut input) : SV_TARGET
{
    return image.Sample(linearSampler, input.uv); // 🎉
}

float Square(float x) { return x * x; }

[numthreads(8, 8, 1)]
void CSMain(uint3 id : SV_DispatchThreadID)
{
    results[id.x] = Square(id.y);
}

