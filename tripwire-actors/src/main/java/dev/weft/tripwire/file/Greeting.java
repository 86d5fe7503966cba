package dev.weft.tripwire.file;

import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.NicException;
import dev.weft.tripwire.nic.Status;
import java.nio.ByteBuffer;

/** The blocks that set up a session. */
final class Greeting {
  private static final int MARK = 0x46494c31;

  private Greeting() {}

  /**
   * The block of the client.
   *
   * @param calls memory for replies
   * @param data memory for data of reads
   */
  record Client(Descriptor calls, Descriptor data) {
    byte[] toBytes() {
      return ByteBuffer.allocate(4 + 2 * Descriptor.LENGTH).putInt(MARK).put(calls.toBytes()).put(data.toBytes()).array();
    }

    static Client of(byte[] block) {
      if (block.length != 4 + 2 * Descriptor.LENGTH || ByteBuffer.wrap(block).getInt() != MARK) {
        throw new NicException(Status.INVALID, "a block of " + block.length + " bytes is no greeting of a file client");
      }
      return new Client(Descriptor.fromBytes(block, 4), Descriptor.fromBytes(block, 4 + Descriptor.LENGTH));
    }
  }

  /**
   * The block of the server.
   *
   * @param calls memory for requests
   * @param data memory for data of writes
   * @param leaseNs how long an unused session lives
   */
  record Server(Descriptor calls, Descriptor data, long leaseNs, FileHandle root) {
    private static final int LENGTH = 4 + 2 * Descriptor.LENGTH + 8 + FileHandle.LENGTH;

    byte[] toBytes() {
      ByteBuffer b = ByteBuffer.allocate(LENGTH).putInt(MARK).put(calls.toBytes()).put(data.toBytes()).putLong(leaseNs);
      root.put(b);
      return b.array();
    }

    static Server of(byte[] block) {
      if (block.length != LENGTH || ByteBuffer.wrap(block).getInt() != MARK) {
        throw new NicException(Status.INVALID, "a block of " + block.length + " bytes is no greeting of a file server");
      }
      ByteBuffer b = ByteBuffer.wrap(block, 4 + 2 * Descriptor.LENGTH, 8 + FileHandle.LENGTH);
      return new Server(Descriptor.fromBytes(block, 4), Descriptor.fromBytes(block, 4 + Descriptor.LENGTH), b.getLong(), FileHandle.get(b));
    }
  }
}
