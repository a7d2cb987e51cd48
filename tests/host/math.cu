#include <cfloat>
#include <climits>
#include <cmath>
#include <cstdio>
#include <math_constants.h>

__device__ __managed__ int bad;
#define IS(got, want)                                                                              \
    do {                                                                                           \
        if (!((got) == (want))) {                                                                  \
            printf("line %d: %s is %.9g\n", __LINE__, #got, (double)(got));                        \
            atomicAdd(&bad, 1);                                                                                 \
        }                                                                                          \
    } while (0)
#define NEAR(got, want, eps)                                                                       \
    do {                                                                                           \
        if (!(fabs((double)(got) - (want)) <= (eps)*fabs((double)(want)))) {                       \
            printf("line %d: %s is %.9g\n", __LINE__, #got, (double)(got));                        \
            atomicAdd(&bad, 1);                                                                                 \
        }                                                                                          \
    } while (0)

__global__ void integers()
{
    IS(__popc(0xF0F0u), 8);
    IS(__popcll(~0ull), 64);
    IS(__clz(0), 32);
    IS(__clz(1), 31);
    IS(__clzll(1ll << 40), 23);
    IS(__ffs(0), 0);
    IS(__ffs(8), 4);
    IS(__ffsll(1ll << 40), 41);
    IS(__brev(1u), 0x80000000u);
    IS(__brev(0x12345678u), 0x1E6A2C48u);
    IS(__brevll(1ull), 1ull << 63);
    IS(__byte_perm(0x33221100u, 0x77665544u, 0x7210u), 0x77221100u);
    IS(__byte_perm(0x00800000u, 0u, 0xAAAAu), 0x80808080u);
    IS(__mulhi(INT_MIN, 2), -1);
    IS(__umulhi(0x80000000u, 4u), 2u);
    IS(__mul64hi(-1ll, 1ll), -1ll);
    IS(__umul64hi(1ull << 63, 4ull), 2ull);
    IS(__mul24(-3, 5), -15);
    IS(__sad(-3, 4, 10u), 17u);
    IS(__hadd(INT_MAX, INT_MAX), INT_MAX);
    IS(__dp4a(0x01FF0203, 0x01010101, 10), 10 + 1 - 1 + 2 + 3);
    IS(__funnelshift_l(0x80000000u, 1u, 1u), 3u);
    IS(__funnelshift_r(0u, 1u, 1u), 0x80000000u);
    IS(__fns(0xF0u, 0, 2), 5);
    IS(min(-1, 2), -1);
    IS(max(3u, 2u), 3u);
    IS(min(3ll, 2ll), 2ll);
    IS(max(-1.5f, 2.5f), 2.5f);
    IS(max(NAN, 2.5f), 2.5f);
    IS(min(2.5, (double)NAN), 2.5);
}

__global__ void floats()
{
    IS(__float_as_int(1.0f), 0x3F800000);
    IS(__uint_as_float(0x40490FDBu), CUDART_PI_F);
    IS(__hiloint2double(0x3FF00000, 0), 1.0);
    IS(__double2hiint(1.0), 0x3FF00000);
    IS(__saturatef(-1), 0.0f);
    IS(__saturatef(NAN), 0.0f);
    IS(__saturatef(0.25f), 0.25f);
    IS(__fmaf_rn(2, 3, 4), 10.0f);
    IS(__fadd_ru(1.0f, 1e-20f), 1.0f + FLT_EPSILON);
    IS(__fadd_rd(1.0f, 1e-20f), 1.0f);
    IS(__fadd_rz(-1.0f, 1e-20f), -1.0f + FLT_EPSILON / 2);
    IS(__fdiv_rz(2.0f, 3.0f) < __fdiv_ru(2.0f, 3.0f), true);
    IS(__float2int_rn(2.5f), 2);
    IS(__float2int_rz(-2.7f), -2);
    IS(__float2int_ru(2.1f), 3);
    IS(__float2int_rd(-2.1f), -3);
    IS(__float2int_rn(1e20f), INT_MAX);
    IS(__float2int_rn(-1e20f), INT_MIN);
    IS(__float2int_rn(NAN), 0);
    IS(__float2uint_rn(-5.0f), 0u);
    IS(__float2uint_rz(4e9f), 4000000000u);
    IS(__float2ull_rn(1e30f), ULLONG_MAX);
    IS(__double2ll_rn(-1e30), LLONG_MIN);
    IS(__int2float_rz(16777219), 16777218.0f);
    IS(__int2float_rn(16777219), 16777220.0f);
    IS(isinf(CUDART_INF_F) && isnan(CUDART_NAN_F), true);
}

__global__ void functions()
{
    NEAR(__expf(1.0f), 2.718281828, 1e-6);
    NEAR(__exp10f(2.0f), 100, 1e-6);
    NEAR(__logf(10.0f), 2.302585093, 1e-6);
    NEAR(__log2f(10.0f), 3.321928095, 1e-6);
    NEAR(__powf(2.0f, 0.5f), 1.414213562, 1e-6);
    NEAR(__fdividef(1.0f, 3.0f), 1.0 / 3, 1e-6);
    NEAR(rsqrtf(4.0f), 0.5, 1e-7);
    NEAR(rsqrt(16.0), 0.25, 1e-15);
    NEAR(rcbrtf(27.0f), 1.0 / 3, 1e-6);
    NEAR(sinpi(0.5), 1, 1e-15);
    NEAR(cospif(1.0f), -1, 1e-7);
    NEAR(normcdf(1.96), 0.97500210485177952, 1e-14);
    NEAR(normcdfinvf(0.975f), 1.959963985, 1e-5);
    NEAR(erfinv(0.5), 0.47693627620446987, 1e-14);
    NEAR(erfinv(-0.999), -2.3267537655135247, 1e-12);
    NEAR(erfinv(0.999999), 3.4589107372795, 1e-9);
    NEAR(erfcx(1.0), 0.42758357615580700, 1e-14);
    NEAR(erfcx(30.0), 0.018795888861416751, 1e-13);
    NEAR(norm3df(2, 3, 6), 7, 1e-7);
    NEAR(rhypotf(3, 4), 0.2, 1e-6);
    NEAR(cyl_bessel_i0(1.0), 1.2660658777520084, 1e-14);
    NEAR(exp10f(3.0f), 1000, 1e-6);
    float s, c;
    __sincosf(1.0f, &s, &c);
    NEAR(s * s + c * c, 1, 1e-6);
    sincosf(1.0f, &s, &c);
    NEAR(s, 0.8414709848, 1e-6);
    IS(fmaxf(1.0f, NAN), 1.0f);
    IS(fminf(-0.5f, 2.0f), -0.5f);
}

__global__ void vectors(const float4 *in, float2 *out)
{
    float4 v = __ldg(in + threadIdx.x);
    int3 i = make_int3(1, 2, 3);
    uchar4 b = make_uchar4(255, 1, 2, 3);
    double2 d = {1.5, 2.5};
    out[threadIdx.x] = make_float2(v.x + v.y + (float)i.z, v.z * v.w + (float)b.x + (float)d.y);
}

__managed__ float4 in[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
__managed__ float2 out[2];

extern "C" void program(void)
{
    integers<<<1, 1>>>();
    floats<<<1, 1>>>();
    functions<<<1, 1>>>();
    vectors<<<1, 2>>>(in, out);
    cudaDeviceSynchronize();
    printf("%g %g %g %g\n", out[0].x, out[0].y, out[1].x, out[1].y);
    printf("%zu %zu %zu %zu %zu\n", sizeof(float3), alignof(float3), alignof(float4), alignof(int2),
           alignof(ushort4));
    printf("%d bad\n", bad);
}
