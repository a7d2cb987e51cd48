/*
 * Launches: k<<<g, b, s, st>>>(a, ...) has become
 *     kg_kernel(call, address, "k", line)(g, b, s, st)(a, ...)
 * 'call' calls the kernel by name, so that template arguments are deduced as in a direct call and
 * the kernel is inlined; 'address' gives the kernel's address where its name means exactly one
 * function, and then the arguments are converted to its parameters' types.
 */
#ifndef KG_LAUNCH_H
#define KG_LAUNCH_H

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include "kg/abi.h"
#include "kg/vector_types.h"

template <class> struct kg_signature;
template <class R, class... P> struct kg_signature<R (*)(P...)> {
    static_assert(std::is_void<R>::value, "a __global__ function must return void");
    using arguments = std::tuple<std::decay_t<P>...>;
};

/* The dependent first parameter makes a failure to name one function a soft one. */
template <class Dependent, class R, class... P> R (*kg_address(R (*f)(P...)))(P...)
{
    return f;
}

struct kg_config {
    dim3 grid, block;
    size_t shared;
    void *stream;
    kg_config(dim3 g, dim3 b, size_t s = 0, void *st = nullptr)
        : grid(g), block(b), shared(s), stream(st)
    {
    }
};

static inline kg_dim3 kg_from_dim3(dim3 d)
{
    return kg_dim3{d.x, d.y, d.z};
}

template <class Call, class Tuple> struct kg_bound {
    Call &call;
    Tuple arguments;
    /* Parameters are passed by value: each thread gets its own copies. */
    static void invoke(void *p)
    {
        kg_bound *b = static_cast<kg_bound *>(p);
        do
            std::apply(b->call, b->arguments);
        while (kg_host_next());
    }
};

template <class Call, class Tuple>
int kg_run(Call &call, Tuple &&arguments, const void *function, const char *name,
           const kg_config &c, int cooperative, int line)
{
    using bound = kg_bound<Call, std::decay_t<Tuple>>;
    bound b{call, std::forward<Tuple>(arguments)};
    struct kg_host_call h = {name,
                             function,
                             bound::invoke,
                             &b,
                             kg_from_dim3(c.grid),
                             kg_from_dim3(c.block),
                             c.shared,
                             c.stream,
                             cooperative,
                             line};
    return kg_host_call(&h);
}

/* The kernel's name means one function: its parameters are known. */
template <class Call, class Function> struct kg_exact;
template <class Call, class R, class... P> struct kg_exact<Call, R (*)(P...)> {
    Call call;
    R (*function)(P...);
    const char *name;
    int line;
    kg_config config;
    void operator()(P... a)
    {
        kg_run(call, typename kg_signature<R (*)(P...)>::arguments(std::forward<P>(a)...),
               reinterpret_cast<const void *>(function), name, config, 0, line);
    }
    /* fewer: the kernel has default arguments */
    template <class... A>
    std::enable_if_t<(sizeof...(A) < sizeof...(P))> operator()(A &&...a)
    {
        kg_run(call, std::tuple<std::decay_t<A>...>(std::forward<A>(a)...),
               reinterpret_cast<const void *>(function), name, config, 0, line);
    }
};

/* It does not (overloads, deduced template arguments). */
template <class Call> struct kg_deduced {
    Call call;
    const char *name;
    int line;
    kg_config config;
    template <class... A> void operator()(A &&...a)
    {
        kg_run(call, std::tuple<std::decay_t<A>...>(std::forward<A>(a)...), nullptr, name, config, 0,
               line);
    }
};

template <class Call, class Address> struct kg_named {
    Call call;
    Address address;
    const char *name;
    int line;
    auto operator()(dim3 grid, dim3 block, size_t shared = 0, void *stream = nullptr)
    {
        kg_config config(grid, block, shared, stream);
        if constexpr (std::is_invocable_v<Address, int>)
            return kg_exact<Call, decltype(address(0))>{call, address(0), name, line, config};
        else
            return kg_deduced<Call>{call, name, line, config};
    }
};

template <class Call, class Address>
kg_named<Call, Address> kg_kernel(Call call, Address address, const char *name, int line)
{
    return {call, address, name, line};
}

/* cudaLaunchKernel and its cooperative form: arguments by address. */
template <class R, class... P, std::size_t... I>
int kg_launch_by_address(R (*f)(P...), const kg_config &c, void **a, int cooperative,
                         std::index_sequence<I...>)
{
    using tuple = typename kg_signature<R (*)(P...)>::arguments;
    return kg_run(f, tuple(*static_cast<std::decay_t<P> *>(a[I])...),
                  reinterpret_cast<const void *>(f), "kernel", c, cooperative, 0);
}

#endif
