package dev.weft.pvfs.manager;

import dev.weft.pvfs.store.StoreException;
import dev.weft.pvfs.wire.MetaRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Keys of the store. The first byte is the type of the record. Numbers are big-endian, so entries, extended attributes and intents are in order.
 *
 * <pre>
 * S                     the super block
 * I inode               an inode
 * D directory name      inode, type and cookie of an entry
 * C directory cookie    inode, type and name of the same entry, for readdir
 * L inode               target of a symbolic link
 * X inode name          an extended attribute
 * O inode               sessions that have an inode open that has no name any more
 * J id                  an intent
 * W inode               nothing; only the daemons know the file's length
 * R session slot        the answer to the last change of the session in the slot
 * H session             nothing; a client that may hold locks or have cached something
 * F                     identity of the file system
 * U inode               nothing; a record of it was lost, so the daemons may have its only remains
 * </pre>
 */
final class Keys {
  static final byte[] SUPER = {'S'};
  static final byte[] INODES = {'I'};
  static final byte[] NAMES = {'D'};
  static final byte[] COOKIES = {'C'};
  static final byte[] TARGETS = {'L'};
  static final byte[] XATTRS = {'X'};
  static final byte[] ORPHANS = {'O'};
  static final byte[] INTENTS = {'J'};
  static final byte[] LENGTHS = {'W'};
  static final byte[] HOLDERS = {'H'};
  static final byte[] ANSWERS = {'R'};
  static final byte[] LABEL = {'F'};
  static final byte[] DOUBTED = {'U'};

  private static final int NUMBER_END = 1 + Long.BYTES;

  private Keys() {}

  private static ByteBuffer start(byte[] kind, long number, int more) {
    return ByteBuffer.allocate(NUMBER_END + more).put(kind).putLong(number);
  }

  static byte[] inode(long number) {
    return start(INODES, number, 0).array();
  }

  static byte[] name(long directory, byte[] name) {
    return start(NAMES, directory, name.length).put(name).array();
  }

  static byte[] cookies(long directory) {
    return start(COOKIES, directory, 0).array();
  }

  static byte[] cookie(long directory, long cookie) {
    return start(COOKIES, directory, Long.BYTES).putLong(cookie).array();
  }

  static byte[] target(long inode) {
    return start(TARGETS, inode, 0).array();
  }

  static byte[] xattrs(long inode) {
    return start(XATTRS, inode, 0).array();
  }

  static byte[] xattr(long inode, byte[] name) {
    return start(XATTRS, inode, name.length).put(name).array();
  }

  static byte[] orphan(long inode) {
    return start(ORPHANS, inode, 0).array();
  }

  static byte[] intent(long id) {
    return start(INTENTS, id, 0).array();
  }

  static byte[] doubted(long inode) {
    return start(DOUBTED, inode, 0).array();
  }

  static byte[] length(long inode) {
    return start(LENGTHS, inode, 0).array();
  }

  static byte[] holder(long session) {
    return start(HOLDERS, session, 0).array();
  }

  static byte[] answers(long session) {
    return start(ANSWERS, session, 0).array();
  }

  static byte[] answer(long session, int slot) {
    return start(ANSWERS, session, Integer.BYTES).putInt(slot).array();
  }

  /** Returns the number behind the first byte. */
  static long number(byte[] key) {
    return ByteBuffer.wrap(key).getLong(1);
  }

  /** Returns the second number, a cookie. */
  static long cookie(byte[] key) {
    return ByteBuffer.wrap(key).getLong(NUMBER_END);
  }

  /**
   * Returns the session and the slot of an answer.
   *
   * @throws StoreException if the key is impossible
   */
  static KeptAnswer.Place place(byte[] key) {
    boolean isWhole = key.length == NUMBER_END + Integer.BYTES;
    long session = isWhole ? number(key) : 0;
    int slot = isWhole ? ByteBuffer.wrap(key).getInt(NUMBER_END) : 0;
    if (session <= 0 || slot < 0 || slot >= MetaRequest.SLOTS) {
      throw new StoreException("metadata of an answer are damaged: there is no key " + HexFormat.of().formatHex(key));
    }
    return new KeptAnswer.Place(session, slot);
  }

  /** Returns the bytes behind the number. */
  static byte[] rest(byte[] key) {
    return Arrays.copyOfRange(key, NUMBER_END, key.length);
  }

  /** Returns the smallest key behind this one. */
  static byte[] after(byte[] key) {
    return Arrays.copyOf(key, key.length + 1);
  }
}
