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

    ResourceLimitException exceeded(long maximum, long inUse, long asked) {
        String owner = ofDomain() ? "the protection domain" : "the device";
        String remedy = ofDomain() ? "create the domain with a higher " : "build the device with a higher ";
        return new ResourceLimitException(
                setting + " of " + owner + " is " + maximum + ", of which " + inUse + " are in use and " + asked
                        + " more were requested; close unused regions, or " + remedy + setting,
                setting,
                maximum);
    }

    /** Returns the index of the limit in an array of all limits. */
    @SuppressWarnings("EnumOrdinal") // The index is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
