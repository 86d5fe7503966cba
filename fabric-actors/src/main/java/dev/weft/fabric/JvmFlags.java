package dev.weft.fabric;

import java.lang.management.ManagementFactory;
import java.util.List;

/**
 * The options that a JVM needs for a fabric. Agrona and Aeron access internals of the JDK and its {@code Unsafe}; Weft and Agrona call
 * the operating system. The root {@code pom.xml} lists the same options for {@code ./weft} and for tests.
 */
public final class JvmFlags {
  /** All options. Without the first two, nothing runs. Without the others, the JVM warns of accesses that later JDKs refuse. */
  public static final List<String> NEEDED = List.of(
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
      "--sun-misc-unsafe-memory-access=allow", "--enable-native-access=ALL-UNNAMED");

  /** This JVM lacks options. The message names them; there is no stack trace. */
  public static final class MissingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private MissingException(String message) {
      super(message, null, false, false);
    }
  }

  private JvmFlags() {}

  /**
   * Checks the options of this JVM. Call it before you start any part of a fabric.
   *
   * @throws MissingException if this JVM was started without options that a fabric cannot run without
   */
  public static void check() {
    Module jdk = Object.class.getModule();
    Module own = JvmFlags.class.getModule();
    if (!jdk.isOpen("jdk.internal.misc", own) || !jdk.isOpen("sun.nio.ch", own)) {
      List<String> given = ManagementFactory.getRuntimeMXBean().getInputArguments();
      List<String> missing = NEEDED.stream().filter(flag -> !given.contains(flag)).toList();
      throw new MissingException("this JVM lacks options that Weft needs; start java with " + String.join(" ", missing));
    }
  }
}
