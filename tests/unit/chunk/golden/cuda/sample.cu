// Vectors on a graphics card.
#include <cuda_runtime.h>
#include "vector.cuh"

#define BLOCK 256
#define CHECK(x) do { if (x) fail(); } while (0)

namespace vectors {

constexpr int kLimit = 1024;

/// A vector, "Größe".
struct Vector {
    float *data;
    int size;

    __host__ __device__ float at(int i) const { return data[i]; }
};

enum class Order { Row, Column };

// Adds on the card.
// One thread for each element.
template <typename T>
__global__ void add(const T *a, const T *b, T *out, int n)
{
    __shared__ T cache[BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}

__device__ __forceinline__ float square(float x) { return x * x; }

__global__ void __launch_bounds__(256) scale(float *a, float by) {
    a[threadIdx.x] *= by;
}

class Stream {
public:
    Stream() { cudaStreamCreate(&stream_); }
    ~Stream() { cudaStreamDestroy(stream_); }
    void wait();

private:
    cudaStream_t stream_;
};

void Stream::wait() {
    cudaStreamSynchronize(stream_);
}

}  // namespace vectors

__constant__ float table[16];

extern "C" int run(int n) {
    vectors::add<float><<<n / BLOCK, BLOCK>>>(nullptr, nullptr, nullptr, n);
    printf("fertig 🎉\n");
    return 0;
}

int main() { return run(10); }
