package dev.weft.hca.sync;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The private data that homes and clients exchange at connection set-up, and the home's list of clients. Big-endian. */
final class SyncHello {
  /** Size of a slot in the home's list: client number, service number, length of the node's name, name. A number of 0 marks a free slot. */
  static final int SLOT_BYTES = 256;

  static final int SERVICE_BYTES_MAX = 64;
  private static final int MAGIC = 0x57535931;
  private static final int NAME_AT = 12;

  private SyncHello() {}

  /** A client's request to join: the number of objects that it has room for, and the service at which it listens to other clients. */
  record Join(SyncClient.Address mailbox, int objects, int peerService) {
    byte[] encode() {
      return ByteBuffer.allocate(24).putInt(MAGIC).putLong(mailbox.at()).putInt(mailbox.rkey()).putInt(objects).putInt(peerService).array();
    }

    static Join decode(byte[] data) {
      ByteBuffer in = checked(data, 24);
      return new Join(new SyncClient.Address(in.getLong(), in.getInt()), in.getInt(), in.getInt());
    }
  }

  /** The home's answer. */
  record Joined(int id, int objects, SyncClient.Address words, SyncClient.Address roster, int slots) {
    byte[] encode() {
      return ByteBuffer.allocate(40).putInt(MAGIC).putInt(id).putInt(objects).putLong(words.at()).putInt(words.rkey())
          .putLong(roster.at()).putInt(roster.rkey()).putInt(slots).array();
    }

    static Joined decode(byte[] data) {
      ByteBuffer in = checked(data, 40);
      return new Joined(in.getInt(), in.getInt(), new SyncClient.Address(in.getLong(), in.getInt()),
          new SyncClient.Address(in.getLong(), in.getInt()), in.getInt());
    }
  }

  /** A client's request to connect to another client, and that client's answer. */
  record Peer(int id, SyncClient.Address mailbox) {
    byte[] encode() {
      return ByteBuffer.allocate(20).putInt(MAGIC).putInt(id).putLong(mailbox.at()).putInt(mailbox.rkey()).array();
    }

    static Peer decode(byte[] data) {
      ByteBuffer in = checked(data, 20);
      return new Peer(in.getInt(), new SyncClient.Address(in.getLong(), in.getInt()));
    }
  }

  /** A client in the home's list. */
  record Slot(int id, int peerService, String node) {
    static Slot decode(ByteBuffer in) {
      int id = in.getInt();
      int service = in.getInt();
      byte[] name = new byte[Math.clamp(in.getInt(), 0, SLOT_BYTES - NAME_AT)];
      in.get(name);
      return new Slot(id, service, new String(name, StandardCharsets.UTF_8));
    }
  }

  static byte[] slot(int id, int peerService, String node) {
    byte[] name = node.getBytes(StandardCharsets.UTF_8);
    if (name.length > SLOT_BYTES - NAME_AT) {
      throw new IllegalArgumentException("the node's name has " + name.length + " bytes, must have at most " + (SLOT_BYTES - NAME_AT));
    }
    return ByteBuffer.allocate(SLOT_BYTES).putInt(id).putInt(peerService).putInt(name.length).put(name).array();
  }

  static byte[] text(String message, int bytesMax) {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    return text.length <= bytesMax ? text : Arrays.copyOf(text, bytesMax);
  }

  private static ByteBuffer checked(byte[] data, int length) {
    ByteBuffer in = ByteBuffer.wrap(data);
    if (data.length != length || in.getInt() != MAGIC) {
      throw new IllegalArgumentException(data.length + " bytes that are no message between a home and its client; both must run the same version");
    }
    return in;
  }
}
