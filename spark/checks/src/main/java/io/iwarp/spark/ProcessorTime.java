package io.iwarp.spark;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The processor time of this process: of all its threads, in the kernel too. */
final class ProcessorTime {
    private ProcessorTime() {}

    /** Returns nanoseconds since the start of the process. */
    static long now() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }
}
