package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.RemoteAperture;
import dev.weft.tripwire.nic.Status;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * A rank's view of another rank. Used by the thread of its rank. Bound: items to be written are this rank's sends and its answers to announcements,
 * each of one request.
 */
final class Peer {
  /** An item to be written to it: a send, or an answer. */
  record Item(int kind, Request request, int id, int remoteId, byte[] body) {}

  /** Receives each record; the body is in the ring. */
  @FunctionalInterface
  interface RecordHandler {
    void onRecord(Peer peer, int kind, int context, int tag, int length, int id, MemorySegment body);
  }

  private static final byte[] NOTHING = new byte[0];

  final int rank;
  final ArrayDeque<Item> items = new ArrayDeque<>();
  /** Announced sends, by this rank's numbers. */
  final Int2ObjectHashMap<Request> announced = new Int2ObjectHashMap<>();
  /** Receives whose bytes are on their way, by this rank's numbers. */
  final Int2ObjectHashMap<Request> receiving = new Int2ObjectHashMap<>();
  private final Inbox inbox;
  private final int self;
  private final MpiSettings settings;
  private final byte[] scratch;
  private final MemorySegment record;
  private final byte[] words = new byte[Inbox.WORDS_BYTES];
  /** Its inbox; null until it has joined. */
  RemoteAperture remote;
  int lid;
  /** Whether it has said good-bye to this rank, and this rank to it. */
  boolean hasSaidBye;
  boolean isToldBye;
  /** Position written in this rank's ring there, position read in its ring here, and bytes of its messages released. */
  int written;
  int read;
  int released;
  /** The last values that were sent to it. */
  private int toldRead;
  private int toldReleased;
  private boolean owesWords;
  /** Bytes of messages that were sent to it without announcement. */
  private int eagerSent;
  /** Its words at the last look; read by threads that poll for news. */
  private volatile int seenRead;
  private volatile int seenReleased;
  private volatile int seenWritten;

  Peer(int rank, int self, Inbox inbox, MpiSettings settings) {
    this.rank = rank;
    this.self = self;
    this.inbox = inbox;
    this.settings = settings;
    scratch = new byte[Math.max(Ring.recordBytes(settings.eagerMaxBytes()), Ring.recordBytes(dev.weft.tripwire.nic.Descriptor.LENGTH))];
    record = MemorySegment.ofArray(scratch);
  }

  /** Whether it has written since {@link #look}. Any thread. */
  boolean hasNews() {
    return inbox.word(rank, Inbox.WRITTEN) != seenWritten || inbox.word(rank, Inbox.READ) != seenRead
        || inbox.word(rank, Inbox.RELEASED) != seenReleased;
  }

  /** Stores its present words; returns the position up to which it has written. */
  int look() {
    seenRead = inbox.word(rank, Inbox.READ);
    seenReleased = inbox.word(rank, Inbox.RELEASED);
    seenWritten = inbox.word(rank, Inbox.WRITTEN);
    return seenWritten;
  }

  /** Whether both have said good-bye. */
  boolean hasLeft() {
    return hasSaidBye && isToldBye;
  }

  /** Handles the next record; returns false if there is none, or it is invalid. */
  boolean next(RecordHandler handler) {
    int ring = settings.ringBytes();
    int there = seenWritten - read;
    int at = read & ring - 1;
    if (there < Integer.BYTES || there > ring) {
      return false;
    }
    int kind = field(at, 0);
    if (kind == Ring.MARK) {
      read += ring - at;
      return ring - at <= there;
    }
    if (there < Ring.HEAD || ring - at < Ring.HEAD) {
      return false;
    }
    int length = field(at, 12);
    int body = Ring.bodyBytes(kind, length, settings.eagerMaxBytes());
    if (body < 0 || Ring.recordBytes(body) > Math.min(there, ring - at)) {
      return false;
    }
    handler.onRecord(this, kind, field(at, 4), field(at, 8), length, field(at, 16),
        inbox.memory.asSlice(inbox.ringOf(rank) + at + Ring.HEAD, body));
    read += Ring.recordBytes(body);
    return true;
  }

  private int field(int at, int offset) {
    return inbox.memory.get(ValueLayout.JAVA_INT, inbox.ringOf(rank) + at + offset);
  }

  /** OK, or why it cannot be reached any more. */
  Status status() {
    return remote == null ? Status.OK : remote.status();
  }

  /** Whether a message of this length may be sent without announcement, as far as this rank knows. */
  boolean maySendEagerly(int length) {
    return length <= settings.eagerMaxBytes()
        && eagerSent - inbox.word(rank, Inbox.RELEASED) + Ring.recordBytes(length) <= settings.unexpectedMaxBytes();
  }

  boolean tryEager(MemorySegment message, int tag, int context) {
    int length = (int) message.byteSize();
    MemorySegment.copy(message, 0, record, Ring.HEAD, length);
    if (!tryRecord(Ring.EAGER, context, tag, length, 0, length)) {
      return false;
    }
    eagerSent += Ring.recordBytes(length);
    return true;
  }

  /** Writes a record without a message's bytes; in an answer, the tag is the other rank's number of the request. */
  boolean tryControl(int kind, int context, int tag, int length, int id, byte[] body) {
    byte[] bytes = body == null ? NOTHING : body;
    System.arraycopy(bytes, 0, scratch, Ring.HEAD, bytes.length);
    return tryRecord(kind, context, tag, length, id, bytes.length);
  }

  private boolean tryRecord(int kind, int context, int tag, int length, int id, int bodyBytes) {
    int ring = settings.ringBytes();
    int bytes = Ring.recordBytes(bodyBytes);
    if (!Ring.hasRoom(written, inbox.word(rank, Inbox.READ), ring, bytes)) {
      return false;
    }
    int skip = Ring.skip(written, ring, bytes);
    if (skip > 0 && !remote.writeInt(inbox.ringOf(self) + (written & ring - 1), Ring.MARK)) {
      return false;
    }
    record.set(ValueLayout.JAVA_INT_UNALIGNED, 0, kind);
    record.set(ValueLayout.JAVA_INT_UNALIGNED, 4, context);
    record.set(ValueLayout.JAVA_INT_UNALIGNED, 8, tag);
    record.set(ValueLayout.JAVA_INT_UNALIGNED, 12, length);
    record.set(ValueLayout.JAVA_INT_UNALIGNED, 16, id);
    if (!remote.write(inbox.ringOf(self) + (written + skip & ring - 1), record, 0, bytes)) {
      return false;
    }
    written += skip + bytes;
    owesWords = true;
    tell();
    return true;
  }

  /** Releases the room of a message of this length. */
  void release(int length) {
    released += Ring.recordBytes(length);
  }

  /** Whether words must be sent, because there was no room before, or because they have changed much. */
  boolean owesWords() {
    return owesWords || read - toldRead >= settings.ringBytes() / 8
        || released - toldReleased >= Math.max(1, settings.unexpectedMaxBytes() / 8);
  }

  /** Sends this rank's words; returns false if the NIC has no room. Repetition does no harm. */
  boolean tell() {
    MemorySegment bytes = MemorySegment.ofArray(words);
    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, Inbox.WRITTEN, written);
    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, Inbox.READ, read);
    bytes.set(ValueLayout.JAVA_INT_UNALIGNED, Inbox.RELEASED, released);
    if (!remote.write(Inbox.lineOf(self), bytes, 0, Inbox.WORDS_BYTES)) {
      owesWords = true;
      return false;
    }
    owesWords = false;
    toldRead = read;
    toldReleased = released;
    return true;
  }
}
