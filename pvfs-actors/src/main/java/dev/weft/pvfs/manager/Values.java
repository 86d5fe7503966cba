package dev.weft.pvfs.manager;

import dev.weft.pvfs.layout.Striping;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.MetaOp;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;

/** Values of the store. Each begins with a version byte. Newer versions are refused, so an old manager damages nothing. */
final class Values {
  static final byte VERSION = 1;

  private static final int STRIPING_BYTES = 4 * Integer.BYTES;
  private static final int INODE_BYTES = 3 + 3 * Integer.BYTES + 4 * Long.BYTES + STRIPING_BYTES + 3 * Integer.BYTES + 3 * Long.BYTES + 3 * Integer.BYTES;
  private static final int HELD_BYTES = Long.BYTES + 2 * Integer.BYTES;
  private static final int ANSWER_BYTES = 3 * Long.BYTES + 1;
  private static final int ENTRY_BYTES = 1 + Long.BYTES;

  private Values() {}

  private static ByteBuffer start(int more) {
    return ByteBuffer.allocate(1 + more).put(VERSION);
  }

  /** Reads the bytes behind the version. */
  private interface Reader<T> {
    T read(ByteBuffer value);
  }

  /** Throws if a newer manager has written the value; only that one may use it. */
  static void checkVersion(String what, byte[] value) {
    if (value.length > 0 && value[0] > VERSION) {
      throw new StoreException("metadata of " + what + " have version " + value[0] + ", but this manager knows only up to " + VERSION + "; start a newer one");
    }
  }

  private static <T> T read(String what, byte[] value, Reader<T> reader) {
    if (value.length == 0 || value[0] < 1) {
      throw new StoreException("metadata of " + what + " are damaged: they have no version");
    }
    checkVersion(what, value);
    try {
      return reader.read(ByteBuffer.wrap(value).position(1));
    } catch (BufferUnderflowException | IllegalArgumentException e) {
      throw new StoreException("metadata of " + what + " are damaged: " + (e.getMessage() == null ? "too short" : e.getMessage()), e);
    }
  }

  static byte[] superBlock(SuperBlock block) {
    return start(7 * Long.BYTES).putLong(block.nextInode()).putLong(block.nextIntent()).putLong(block.nextBase()).putLong(block.commits())
        .putLong(block.inodes()).putLong(block.intents()).putLong(block.orphans()).array();
  }

  static SuperBlock superBlock(byte[] value) {
    return read("the file system", value,
        in -> new SuperBlock(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong()));
  }

  private static void put(ByteBuffer out, Striping striping) {
    if (striping == null) {
      out.putLong(0).putLong(0);
    } else {
      out.putInt(striping.base()).putInt(striping.count()).putInt(striping.stripeBytes()).putInt(striping.daemons());
    }
  }

  private static Striping striping(ByteBuffer in) {
    int base = in.getInt();
    int count = in.getInt();
    int stripeBytes = in.getInt();
    int daemons = in.getInt();
    return daemons == 0 ? null : new Striping(base, count, stripeBytes, daemons);
  }

  private static FileType type(ByteBuffer in) {
    int number = in.get();
    FileType type = FileType.ofNumber(number);
    if (type == null) {
      throw new IllegalArgumentException("there is no type " + number);
    }
    return type;
  }

  private static byte[] whole(ByteBuffer out) {
    byte[] bytes = new byte[out.flip().remaining()];
    out.get(bytes);
    return bytes;
  }

  static byte[] inode(Inode inode) {
    ByteBuffer out = start(INODE_BYTES).put((byte) inode.type().number()).putShort((short) inode.mode()).putInt(inode.uid()).putInt(inode.gid())
        .putInt(inode.links()).putLong(inode.atimeNs()).putLong(inode.mtimeNs()).putLong(inode.ctimeNs()).putLong(inode.sizeHint());
    put(out, inode.striping());
    out.putInt(inode.wish().base()).putInt(inode.wish().count()).putInt(inode.wish().stripeBytes()).putLong(inode.parent())
        .putLong(inode.nextCookie()).putInt(inode.replicas()).putInt(inode.quotaId());
    if (inode.type().isDevice()) {
      out.putInt(inode.device());
    }
    if (inode.timedNs() != 0) {
      out.putLong(inode.timedNs());
    }
    return whole(out);
  }

  static Inode inode(long number, byte[] value) {
    return read("inode " + number, value, in -> {
      FileType type = type(in);
      return new Inode(number, type, in.getShort(), in.getInt(), in.getInt(), in.getInt(), in.getLong(), in.getLong(), in.getLong(), in.getLong(),
          striping(in), new StripingWish(in.getInt(), in.getInt(), in.getInt()), in.getLong(), in.getLong(), in.getInt(), in.getInt(),
          type.isDevice() ? in.getInt() : 0, in.hasRemaining() ? in.getLong() : 0);
    });
  }

  private static long checked(long cookie) {
    if (cookie < Entries.FIRST_COOKIE) {
      throw new IllegalArgumentException("there is no place " + cookie + " in a directory");
    }
    return cookie;
  }

  static byte[] entry(Entries.Entry entry) {
    return start(ENTRY_BYTES + Long.BYTES).putLong(entry.inode()).put((byte) entry.type().number()).putLong(entry.cookie()).array();
  }

  static Entries.Entry entry(byte[] value) {
    return read("an entry", value, in -> {
      long inode = in.getLong();
      FileType type = type(in);
      return new Entries.Entry(inode, type, checked(in.getLong()));
    });
  }

  static byte[] cookie(Entries.Entry entry, byte[] name) {
    return start(ENTRY_BYTES + name.length).putLong(entry.inode()).put((byte) entry.type().number()).put(name).array();
  }

  static DirEntry dirEntry(long cookie, byte[] value) {
    return read("an entry", value, in -> {
      long inode = in.getLong();
      FileType type = type(in);
      byte[] name = new byte[in.remaining()];
      in.get(name);
      return new DirEntry(name, inode, type, checked(cookie), null);
    });
  }

  static byte[] bytes(byte[] bytes) {
    return start(bytes.length).put(bytes).array();
  }

  /** The value of a key that needs none. */
  static byte[] nothing() {
    return bytes(new byte[0]);
  }

  static byte[] bytes(String what, byte[] value) {
    return read(what, value, in -> Arrays.copyOfRange(value, 1, value.length));
  }

  static byte[] orphan(SortedMap<Long, Opens.Held> sessions) {
    ByteBuffer out = start(sessions.size() * HELD_BYTES);
    sessions.forEach((session, held) -> out.putLong(session).putInt(held.count()).putInt(held.access()));
    return whole(out);
  }

  static TreeMap<Long, Opens.Held> orphan(long inode, byte[] value) {
    return read("open inode " + inode, value, in -> {
      TreeMap<Long, Opens.Held> sessions = new TreeMap<>();
      while (in.hasRemaining()) {
        sessions.put(in.getLong(), new Opens.Held(in.getInt(), in.getInt()));
      }
      return sessions;
    });
  }

  static byte[] label(FileSystemLabel label) {
    return start(FileSystemLabel.ID_BYTES + Integer.BYTES + FileSystemLabel.KEY_BYTES).put(HexFormat.of().parseHex(label.id())).putInt(label.daemons())
        .put(label.key()).array();
  }

  static FileSystemLabel label(byte[] value) {
    return read("which file system this is", value, in -> {
      byte[] id = new byte[FileSystemLabel.ID_BYTES];
      byte[] key = new byte[FileSystemLabel.KEY_BYTES];
      in.get(id);
      int daemons = in.getInt();
      in.get(key);
      return new FileSystemLabel(HexFormat.of().formatHex(id), daemons, key);
    });
  }

  static byte[] answer(KeptAnswer answer) {
    byte[] inode = answer.inode() == null ? new byte[0] : inode(answer.inode());
    return start(ANSWER_BYTES + inode.length).putLong(answer.request()).put((byte) answer.op().ordinal()).putLong(answer.intent())
        .putLong(answer.inode() == null ? 0 : answer.inode().number()).put(inode).array();
  }

  static KeptAnswer answer(byte[] value) {
    return read("an answer", value, in -> {
      long request = in.getLong();
      int code = in.get();
      MetaOp op = MetaOp.of(code);
      long intent = in.getLong();
      long number = in.getLong();
      if (op == null || !op.isChange() || intent < 0 || number < 0 || op == MetaOp.CREATE && number == 0) {
        throw new IllegalArgumentException("there is no answer to operation " + code + " with inode " + number + " and intent " + intent);
      }
      byte[] inode = new byte[in.remaining()];
      in.get(inode);
      if (number == 0 && inode.length > 0) {
        throw new IllegalArgumentException(inode.length + " bytes of an inode without a number");
      }
      return new KeptAnswer(request, op, number == 0 ? null : inode(number, inode), intent);
    });
  }

  static byte[] intent(Intent intent) {
    ByteBuffer out = start(1 + 2 * Long.BYTES + STRIPING_BYTES).put((byte) intent.kind().ordinal()).putLong(intent.inode()).putLong(intent.sizeBytes());
    put(out, intent.striping());
    return whole(out);
  }

  static Intent intent(long id, byte[] value) {
    return read("intent " + id, value, in -> {
      int kind = in.get();
      if (kind < 0 || kind >= Intent.Kind.values().length) {
        throw new IllegalArgumentException("there is no kind " + kind);
      }
      long inode = in.getLong();
      long sizeBytes = in.getLong();
      return new Intent(id, Intent.Kind.values()[kind], inode, striping(in), sizeBytes);
    });
  }
}
