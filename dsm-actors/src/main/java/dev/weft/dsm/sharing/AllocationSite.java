package dev.weft.dsm.sharing;

import dev.weft.dsm.wire.MessageCodec;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The place in a program that allocates an array. */
public final class AllocationSite {
  private static final List<String> OURS = List.of("dev.weft.dsm.node.", "dev.weft.dsm.sharing.", "dev.weft.dsm.Shared");
  private static final StackWalker WALKER = StackWalker.getInstance();

  private AllocationSite() {}

  /** Returns the first stack frame outside of the classes that make arrays, as {@code Class.method(File.java:12)}; empty if there is none. */
  public static String ofCaller() {
    return WALKER.walk(frames -> frames.filter(frame -> OURS.stream().noneMatch(frame.getClassName()::startsWith)).findFirst())
        .map(frame -> shortened(frame.getClassName() + "." + frame.getMethodName() + "(" + (frame.getFileName() == null ? "no source" : frame.getFileName())
            + ":" + frame.getLineNumber() + ")"))
        .orElse("");
  }

  /** Cuts a long place at its start, because its end says more. */
  static String shortened(String site) {
    byte[] bytes = site.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= MessageCodec.SITE_BYTES_MAX) {
      return site;
    }
    int from = bytes.length - (MessageCodec.SITE_BYTES_MAX - 2);
    while ((bytes[from] & 0xc0) == 0x80) {
      from++; // In the middle of a character.
    }
    return ".." + new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
  }
}
