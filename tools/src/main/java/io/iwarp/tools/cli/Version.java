package io.iwarp.tools.cli;

import picocli.CommandLine.IVersionProvider;

/** The version that the build wrote into the jar. */
public final class Version implements IVersionProvider {
    /** Returns the version of this command. */
    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "(not run from its jar)" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"iwarp " + text()};
    }
}
