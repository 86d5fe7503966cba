package dev.weft.fabric.files;

import dev.weft.fabric.time.RealClock;

/** The name of this JVM among the JVMs that share a media driver. */
public final class JvmName {
  /** Name of all Aeron clients of this JVM and of its file in the driver's directory. No other JVM has the same name. */
  public static final String OF_THIS_JVM = "weft-jvm-" + ProcessHandle.current().pid() + "-" + Long.toHexString(RealClock.wallNs());

  private JvmName() {}
}
