package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.LocalAperture;
import dev.weft.tripwire.nic.RemoteAperture;
import java.lang.foreign.MemorySegment;

/** A running send or receive. Used by the thread of its rank. */
public final class Request {
  /** Kind of request. */
  enum Kind { SEND, RECEIVE }

  /** Represents the hardware thread; never started. */
  private static final Thread ANOTHER = Thread.ofPlatform().unstarted(() -> { });

  final Kind kind;
  final MemorySegment buffer;
  /** Destination or source; a source may be {@link Communicator#ANY_SOURCE}. */
  final int peer;
  final int tag;
  final int context;
  /** The aperture for a long message. */
  LocalAperture aperture;
  /** The mapping through which it is written. */
  RemoteAperture mapping;
  /** The message that is being placed there. */
  MpiStatus incoming;
  /** Replaces a buffer that the hardware cannot access. */
  private MemorySegment staging;
  /** The receiver's number of the request. */
  int remoteId;
  private final Rpi rpi;
  private boolean done;
  private boolean destroyed;
  private MpiStatus status;
  private MpiException failure;

  Request(Rpi rpi, Kind kind, MemorySegment buffer, int peer, int tag, int context) {
    this.rpi = rpi;
    this.kind = kind;
    this.buffer = buffer;
    this.peer = peer;
    this.tag = tag;
    this.context = context;
  }

  int length() {
    return (int) buffer.byteSize();
  }

  boolean isDone() {
    return done;
  }

  void done(MpiStatus newStatus) {
    status = newStatus;
    done = true;
  }

  /** The first reason stays. */
  void fail(ErrorClass errorClass, String reason) {
    if (!done) {
      failure = new MpiException(errorClass, reason);
      done = true;
    }
  }

  /** The start of the buffer, or of a copy: memory that the hardware can access. */
  MemorySegment memory(int length) {
    if (buffer.isNative() && buffer.isAccessibleBy(ANOTHER)) {
      return buffer.asSlice(0, length);
    }
    if (staging == null) {
      staging = Mpi.allocate(length);
      if (kind == Kind.SEND) {
        staging.copyFrom(buffer.asSlice(0, length));
      }
    }
    return staging;
  }

  /** The whole {@link #incoming} message has been placed. */
  void placed() {
    if (staging != null) {
      MemorySegment.copy(staging, 0, buffer, 0, incoming.bytes());
    }
    done(incoming);
  }

  /** Takes a message that has arrived. */
  void receive(MemorySegment bytes, MpiStatus message) {
    if (!isTooShortFor(message)) {
      MemorySegment.copy(bytes, 0, buffer, 0, message.bytes());
      done(message);
    }
  }

  /** Whether the buffer is too short; the request has then failed. */
  boolean isTooShortFor(MpiStatus message) {
    if (message.bytes() > length()) {
      fail(ErrorClass.TRUNCATE, "a message of " + message.bytes() + " bytes with tag " + message.tag() + " from rank " + message.source()
          + " for a buffer of " + length());
      return true;
    }
    return false;
  }

  MpiStatus take() {
    if (failure != null) {
      throw failure;
    }
    return status;
  }

  /**
   * Whether it is done; the buffer may then be reused.
   *
   * @throws MpiException if it failed
   */
  public boolean test() {
    if (!done) {
      rpi.advance(false);
    }
    if (!done) {
      return false;
    }
    waitFor();
    return true;
  }

  /**
   * Waits until it is done. Returns the received message, null for a send. May be called again.
   *
   * @throws MpiException if it failed
   */
  public MpiStatus waitFor() {
    while (!done) {
      rpi.advance(true);
    }
    if (!destroyed) {
      destroyed = true;
      rpi.destroy(this);
    }
    return take();
  }

  /** Waits until all are done, in any order; then throws the first failure. */
  public static void waitAll(Request... requests) {
    MpiException first = null;
    for (Request request : requests) {
      try {
        request.waitFor();
      } catch (MpiException e) {
        if (first == null) {
          first = e;
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  @Override
  public String toString() {
    return kind + "[" + length() + " bytes, peer " + peer + ", tag " + tag + ", context " + context + (done ? ", done" : "") + "]";
  }
}
