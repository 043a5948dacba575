package io.iwarp.memory;

/** A limit on registered memory. A region or window beyond it is refused. Later versions may add constants. */
public enum MemoryLimit {
    /** Regions of the device: {@link IwarpDevice#maxRegions}. */
    REGIONS("maxRegions"),
    /** Windows of the device: {@link IwarpDevice#maxWindows}. */
    WINDOWS("maxWindows"),
    /** Bytes of the device: {@link IwarpDevice#maxRegisteredBytes}. */
    REGISTERED_BYTES("maxRegisteredBytes"),
    /** Regions of one protection domain: {@link DomainLimits#maxRegions}. */
    DOMAIN_REGIONS("DomainLimits.maxRegions"),
    /** Bytes of one protection domain: {@link DomainLimits#maxRegisteredBytes}. */
    DOMAIN_REGISTERED_BYTES("DomainLimits.maxRegisteredBytes");

    private final String setting;

    MemoryLimit(String setting) {
        this.setting = setting;
    }

    /** Returns the name of the setting, as in {@link ResourceLimitException#setting}. */
    public String setting() {
        return setting;
    }

    /** Returns whether it limits a protection domain and not the device. */
    public boolean ofDomain() {
        return this == DOMAIN_REGIONS || this == DOMAIN_REGISTERED_BYTES;
    }
}
