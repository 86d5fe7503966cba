package dev.weft.launcher.cli;

import picocli.CommandLine.IVersionProvider;

/** The version of the jar, of Java and of the operating system. */
final class Version implements IVersionProvider {
  @Override
  public String[] getVersion() {
    String version = Version.class.getPackage().getImplementationVersion();
    return new String[] {
        "weft " + (version == null ? "(development classes)" : version),
        "java " + Runtime.version() + ", " + System.getProperty("os.name") + " " + System.getProperty("os.arch")};
  }
}
