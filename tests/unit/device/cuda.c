/* With a driver its devices are told; without one every call says what is missing. */
#include "tap.h"

#include "device/cuda.h"
#include "device/nvrtc.h"

int main(void)
{
    struct kg_error err = KG_ERROR_INIT, again = KG_ERROR_INIT;
    struct kg_cuda_device d;
    int n = kg_cuda_count(&err);
    if (n < 0) {
        EQ_INT(err.code, KG_E_MISSING);
        OK(strstr(err.text, "CUDA") != NULL);
        EQ_INT(kg_cuda_device(0, &d, &again), -1);
        EQ_STR(again.text, err.text); /* the cause, each time */
        EQ_INT(kg_cuda_driver_version(), 0);
    } else {
        OK(kg_cuda_driver_version() > 0);
        EQ_INT(kg_cuda_device(n, &d, &err), -1);
        EQ_INT(err.code, KG_E_MISSING);
        for (int i = 0; i < n; i++) {
            EQ_INT(kg_cuda_device(i, &d, NULL), 0);
            OK(!strncmp(d.uuid, "GPU-", 4) && strlen(d.uuid) == 40);
            OK(d.major > 0 && d.memory_bytes > 0 && *d.name);
        }
    }
    kg_error_clear(&err);
    EQ_INT(kg_nvrtc_open("/nonexistent/libnvrtc.so", &err), -1);
    EQ_INT(err.code, KG_E_MISSING);
    HAS(err.text, "NVRTC");
    return tap_done();
}
