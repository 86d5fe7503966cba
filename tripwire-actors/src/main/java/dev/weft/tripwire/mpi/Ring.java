package dev.weft.tripwire.mpi;

import dev.weft.tripwire.nic.Descriptor;

/**
 * The format of records that one rank writes into another's inbox: records in a ring, each with a head and a contiguous body. Positions count bytes
 * since the start, modulo 2^32. A record that does not fit before the end of the ring starts at the ring's start, after a mark.
 */
final class Ring {
  /** Bytes of the head: kind, context, tag, length, identifier, unused. */
  static final int HEAD = 24;

  /** A message with its bytes. */
  static final int EAGER = 1;
  /** A message is announced. */
  static final int REQUEST_TO_SEND = 2;
  /** Answer to an announcement: the place for the bytes. */
  static final int CLEAR_TO_SEND = 3;
  /** Answer to an announcement: the bytes are not needed. */
  static final int DROP = 4;
  /** The bytes have been placed. */
  static final int FINISHED = 5;
  /** Nothing follows. */
  static final int BYE = 7;
  /** The rest of the ring is empty. */
  static final int MARK = 6;

  private Ring() {}

  static int padded(int bytes) {
    return bytes + 7 & ~7;
  }

  static int recordBytes(int bodyBytes) {
    return HEAD + padded(bodyBytes);
  }

  /** Bytes after the head of a record, -1 if there is no such record. */
  static int bodyBytes(int kind, int length, int eagerMaxBytes) {
    return switch (kind) {
      case EAGER -> length < 0 || length > eagerMaxBytes ? -1 : length;
      case CLEAR_TO_SEND -> Descriptor.LENGTH;
      case REQUEST_TO_SEND -> length < 0 ? -1 : 0;
      case DROP, FINISHED, BYE -> 0;
      default -> -1;
    };
  }

  /** Bytes from the position to the end of the ring that a record of this size must skip. */
  static int skip(int position, int ringBytes, int recordBytes) {
    int left = ringBytes - (position & ringBytes - 1);
    return recordBytes <= left ? 0 : left;
  }

  /** Whether a record finds room. */
  static boolean hasRoom(int written, int read, int ringBytes, int recordBytes) {
    return written - read + skip(written, ringBytes, recordBytes) + recordBytes <= ringBytes;
  }
}
