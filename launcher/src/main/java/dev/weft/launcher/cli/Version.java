package dev.weft.launcher.cli;

import picocli.CommandLine.IVersionProvider;

/** Version of the jar, and of what it runs on. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
        "weft " + (version == null ? "(development classes)" : version),
        "java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")};
  }
}
