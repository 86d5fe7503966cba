package dev.weft.launcher.cli;

import com.typesafe.config.ConfigException;

/** Tells whether a failure comes from a setting that its user can change: then its message says all, and a stack trace nothing. */
final class WrongSetting {
  /** What names a setting in the messages of {@code ...Settings} classes. */
  private static final String PREFIX = "weft.";
  private static final int CAUSES_MAX = 32;

  private WrongSetting() {}

  /** What is wrong with the setting; null if the failure is of another kind. Looks into the causes: Akka wraps what dispatchers throw. */
  static String messageOf(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
      // Whoever was told that a file is missing knows better what it was for.
      boolean isExplained = cause != failure && cause instanceof ConfigException.IO;
      if (isOne(cause) && !isExplained) {
        return cause.getMessage();
      }
      cause = cause.getCause();
    }
    return null;
  }

  private static boolean isOne(Throwable failure) {
    return failure instanceof ConfigException && !(failure instanceof ConfigException.BugOrBroken)
        || failure instanceof IllegalArgumentException && failure.getMessage() != null && failure.getMessage().startsWith(PREFIX);
  }
}
