package dev.weft.launcher.http;

import java.net.URI;

/** Reads the base URL of a JVM's inspection as users write it. */
public final class JvmUrl {
  private JvmUrl() {}

  /** Returns {@code url} without trailing slashes and without {@code /weft}. */
  public static URI base(String url) {
    return URI.create(url.replaceFirst("/+$", "").replaceFirst("/weft$", ""));
  }
}
