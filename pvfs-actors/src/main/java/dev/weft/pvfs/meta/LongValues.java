package dev.weft.pvfs.meta;

import dev.weft.pvfs.Errno;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.LongValue;
import dev.weft.pvfs.wire.MetaArguments;
import dev.weft.pvfs.wire.MetaOp;
import dev.weft.pvfs.wire.MetaReply;
import dev.weft.pvfs.wire.MetaRequest;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/** Reads and writes extended attributes, and lists of their names, that may be too long for one message. Any thread. */
public final class LongValues {
  /** How often a value is read or sent again, because it changed or the manager lost it meanwhile. */
  private static final int TRIES = 8;

  /** The manager keeps the parts of one value for each client. */
  private final ReentrantLock staging = new ReentrantLock();

  /**
   * Requests GETXATTR or LISTXATTR for the whole value; EAGAIN if it changes all the time.
   *
   * @param ask asks the manager, and waits
   */
  public MetaReply read(Function<MetaRequest, MetaReply> ask, MetaRequest request) {
    for (int i = 0; i < TRIES; i++) {
      MetaReply first = ask.apply(request);
      if (first.errno() != Errno.OK || first.value().length >= LongValue.length(first.number())) {
        return first;
      }
      byte[] whole = rest(ask, request, first);
      if (whole != null) {
        return MetaReply.of(first.id(), first.number(), whole);
      }
    }
    return MetaReply.failed(request.id(), Errno.EAGAIN);
  }

  /** Returns null if the value has changed meanwhile. */
  private static byte[] rest(Function<MetaRequest, MetaReply> ask, MetaRequest request, MetaReply first) {
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    whole.writeBytes(first.value());
    while (whole.size() < LongValue.length(first.number())) {
      MetaReply next = ask.apply(MetaRequest.of(request.op(), request.caller(), request.inode(), whole.size()).named(request.name()));
      if (next.errno() != Errno.OK || next.number() != first.number() || next.value().length == 0) {
        return null;
      }
      whole.writeBytes(next.value());
    }
    return whole.toByteArray();
  }

  /**
   * Requests SETXATTR; E2BIG beyond {@link LongValue#BYTES_MAX}.
   *
   * @param ask asks the manager, and waits
   * @param request without its value
   */
  public MetaReply write(Function<MetaRequest, MetaReply> ask, MetaRequest request, byte[] value) {
    if (value.length <= MetaRequest.VALUE_BYTES_MAX) {
      return ask.apply(request.withValue(value));
    }
    if (value.length > LongValue.BYTES_MAX) {
      return MetaReply.failed(request.id(), Errno.E2BIG);
    }
    int flags = MetaArguments.Setxattr.of(request).flags();
    MetaRequest last = MetaRequest.of(request.op(), request.caller(), request.inode(), flags, LongValue.mark(value)).named(request.name());
    staging.lock();
    try {
      MetaReply reply = MetaReply.failed(request.id(), Errno.ENOBUFS);
      for (int i = 0; i < TRIES && reply.errno() == Errno.ENOBUFS; i++) {
        reply = stage(ask, value);
        reply = reply.errno() == Errno.OK ? ask.apply(last) : reply;
      }
      return reply;
    } finally {
      staging.unlock();
    }
  }

  private static MetaReply stage(Function<MetaRequest, MetaReply> ask, byte[] value) {
    MetaReply reply = null;
    for (int from = 0; from < value.length; from += MetaRequest.VALUE_BYTES_MAX) {
      reply = ask.apply(MetaRequest.of(MetaOp.STAGE, Caller.ROOT, 0, from).withValue(LongValue.part(value, from, MetaRequest.VALUE_BYTES_MAX)));
      if (reply.errno() != Errno.OK) {
        return reply;
      }
    }
    return reply;
  }
}
