package dev.weft.pvfs.manager;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.LongValue;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaReply;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Values that come in parts. Each session sends at most one value at a time, of at most {@link LongValue#BYTES_MAX}. Values do not survive the
 * manager. One thread.
 */
final class LongValues {
  private final Map<Long, byte[]> values = new HashMap<>();

  /** Adds or repeats a part; ENOBUFS if the parts before it are missing. */
  int add(long session, long from, byte[] part) {
    byte[] before = from == 0 ? new byte[0] : values.get(session);
    if (before == null || from < 0 || from > before.length || from + part.length > LongValue.BYTES_MAX) {
      return Errno.ENOBUFS;
    }
    byte[] whole = Arrays.copyOf(before, (int) from + part.length);
    System.arraycopy(part, 0, whole, (int) from, part.length);
    values.put(session, whole);
    return Errno.OK;
  }

  /**
   * Returns the value of a SETXATTR: its own, or the one that came before in parts; null if that is missing. A retry after a full batch may ask for
   * it again.
   */
  byte[] valueOf(MetaArguments.Setxattr asked, long session) {
    if (asked.mark() == 0) {
      return asked.value();
    }
    byte[] value = values.get(session);
    return value == null || LongValue.mark(value) != asked.mark() ? null : value;
  }

  void end(long session) {
    values.remove(session);
  }

  /** Returns the part of a value that fits into an answer, from an offset on. */
  static MetaReply part(long id, long from, Result<byte[]> whole) {
    return whole.isOk() ? MetaReply.of(id, LongValue.mark(whole.value()),
        LongValue.part(whole.value(), from, MetaReply.VALUE_BYTES_MAX)) : MetaReply.failed(id, whole.errno());
  }

  /** Joins names, each followed by a zero byte. */
  static Result<byte[]> joined(Result<List<byte[]>> names) {
    if (!names.isOk()) {
      return Result.error(names.errno());
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] name : names.value()) {
      all.writeBytes(name);
      all.write(0);
    }
    return Result.ok(all.toByteArray());
  }
}
