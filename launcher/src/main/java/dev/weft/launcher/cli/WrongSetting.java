package dev.weft.launcher.cli;

import com.typesafe.config.ConfigException;

/** Detects failures that come from a wrong setting. The user can correct it; the message is enough, and a stack trace would not help. */
final class WrongSetting {
  /** The beginning of the messages of {@code ...Settings} classes about a setting. */
  private static final String PREFIX = "weft.";
  private static final int CAUSES_MAX = 32;

  private WrongSetting() {}

  /** Returns what is wrong with the setting; null for a failure of another kind. Also checks the causes, because Akka wraps exceptions of dispatchers. */
  static String messageOf(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < CAUSES_MAX; i++) {
      // Code that caught the error about a missing file has given a better message.
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
