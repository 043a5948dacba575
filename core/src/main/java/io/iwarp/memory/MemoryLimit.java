package io.iwarp.memory;

/** A limit on registered memory. A region or window beyond it is refused. */
public enum MemoryLimit {
    /** Regions of the device: {@link IwarpDevice#maxRegions}. */
    REGIONS("maxRegions", "regions"),
    /** Windows of the device: {@link IwarpDevice#maxWindows}. */
    WINDOWS("maxWindows", "windows"),
    /** Bytes of the device: {@link IwarpDevice#maxRegisteredBytes}. */
    REGISTERED_BYTES("maxRegisteredBytes", "registered_bytes"),
    /** Regions of one protection domain: {@link DomainLimits#maxRegions}. */
    DOMAIN_REGIONS("DomainLimits.maxRegions", "domain_regions"),
    /** Bytes of one protection domain: {@link DomainLimits#maxRegisteredBytes}. */
    DOMAIN_REGISTERED_BYTES("DomainLimits.maxRegisteredBytes", "domain_registered_bytes");

    private final String setting;
    private final String tag;

    MemoryLimit(String setting, String tag) {
        this.setting = setting;
        this.tag = tag;
    }

    /** Returns the name of the setting, as in {@link ResourceLimitException#setting}. */
    public String setting() {
        return setting;
    }

    /** Returns the value of the tag {@code limit} of meters, for example {@code domain_regions}. */
    public String tag() {
        return tag;
    }

    /** Returns whether it limits a protection domain and not the device. */
    public boolean ofDomain() {
        return this == DOMAIN_REGIONS || this == DOMAIN_REGISTERED_BYTES;
    }

    ResourceLimitException exceeded(long maximum, long inUse, long asked) {
        String owner = ofDomain() ? "the protection domain" : "the device";
        String remedy = ofDomain() ? "allocate the domain with a higher " : "build the device with a higher ";
        return new ResourceLimitException(
                setting + " of " + owner + " is " + maximum + ", of which " + inUse + " are in use and " + asked
                        + " more were asked for; close regions that are not needed any more, or " + remedy + setting,
                setting,
                maximum);
    }

    /** Returns the index of the limit in an array of all limits. */
    @SuppressWarnings("EnumOrdinal") // The index is used in memory only and never stored or sent.
    int slot() {
        return ordinal();
    }
}
