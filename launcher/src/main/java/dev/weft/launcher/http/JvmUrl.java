package dev.weft.launcher.http;

import java.net.URI;

/** The base URL of a JVM's inspection, as people write it. */
public final class JvmUrl {
  private JvmUrl() {}

  /** Without what may follow: slashes, and {@code /weft}. */
  public static URI base(String url) {
    return URI.create(url.replaceFirst("/+$", "").replaceFirst("/weft$", ""));
  }
}
