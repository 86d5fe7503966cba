package dev.weft.pvfs.fuse;

import dev.weft.fabric.time.RealClock;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/** An inode of {@link MemoryFileSystem}, which guards all but the content. */
final class MemoryInode {
  static final int TYPE = 0170000;
  static final int FILE = 0100000;
  static final int DIRECTORY = 0040000;
  static final int SET_USER_ID = 04000;
  static final int SET_GROUP_ID = 02000;
  static final int GROUP_EXECUTES = 010;
  private static final long FIRST_COOKIE = 3;

  /** An entry of a directory. */
  record Entry(String name, MemoryInode inode, long cookie) {}

  final long number;
  final SparseContent content;
  final Map<String, byte[]> attributes = new TreeMap<>();
  final Map<String, Entry> byName = new HashMap<>();
  final NavigableMap<Long, Entry> byCookie = new TreeMap<>();
  MemoryInode parent;
  byte[] target = {};
  int mode;
  int links;
  int uid;
  int gid;
  int device;
  long atimeNs = now();
  long mtimeNs = atimeNs;
  long ctimeNs = atimeNs;
  long lookups;
  int opens;
  private long nextCookie = FIRST_COOKIE;

  MemoryInode(long number, int mode, ChunkPool pool) {
    this.number = number;
    this.mode = mode;
    content = new SparseContent(pool);
  }

  static long now() {
    return RealClock.wallNs();
  }

  boolean isDirectory() {
    return (mode & TYPE) == DIRECTORY;
  }

  boolean isFile() {
    return (mode & TYPE) == FILE;
  }

  void put(String name, MemoryInode inode) {
    Entry entry = new Entry(name, inode, nextCookie++);
    byName.put(name, entry);
    byCookie.put(entry.cookie(), entry);
    changed();
  }

  MemoryInode get(String name) {
    Entry entry = byName.get(name);
    return entry == null ? null : entry.inode();
  }

  void remove(String name) {
    byCookie.remove(byName.remove(name).cookie());
    changed();
  }

  /** Its content was changed. */
  void changed() {
    mtimeNs = now();
    ctimeNs = mtimeNs;
  }

  void touched() {
    ctimeNs = now();
  }

  void dropPrivilege() {
    mode &= (mode & GROUP_EXECUTES) != 0 ? ~(SET_USER_ID | SET_GROUP_ID) : ~SET_USER_ID;
  }

  FuseAttributes attributes() {
    long size = isFile() ? content.size() : isDirectory() ? byName.size() : target.length;
    return new FuseAttributes(number, mode, links, uid, gid, device, size, content.blocks(), ChunkPool.CHUNK_BYTES, atimeNs, mtimeNs, ctimeNs);
  }
}
