package dev.weft.pvfs.wire;

import dev.weft.pvfs.layout.StripingWish;

/** The arguments of a {@link MetaRequest}, one record for each {@link MetaOp}, which its {@code of} reads from a request. */
public sealed interface MetaArguments {
  /** Reads the arguments of a request; missing numbers have defaults. */
  static MetaArguments of(MetaRequest request) {
    return switch (request.op()) {
      case HELLO -> new Hello();
      case LOOKUP -> Lookup.of(request);
      case WALK -> Walk.of(request);
      case GETATTR -> Getattr.of(request);
      case SETATTR -> Setattr.of(request);
      case CREATE -> Create.of(request);
      case MKDIR -> Mkdir.of(request);
      case MKNOD -> Mknod.of(request);
      case SYMLINK -> Symlink.of(request);
      case READLINK -> Readlink.of(request);
      case LINK -> Link.of(request);
      case UNLINK -> Unlink.of(request);
      case RMDIR -> Rmdir.of(request);
      case RENAME -> Rename.of(request);
      case READDIR -> Readdir.of(request);
      case GETXATTR -> Getxattr.of(request);
      case SETXATTR -> Setxattr.of(request);
      case LISTXATTR -> Listxattr.of(request);
      case REMOVEXATTR -> Removexattr.of(request);
      case OPEN -> Open.of(request);
      case CLOSE -> Close.of(request);
      case STATFS -> new Statfs();
      case SETSTRIPE -> Setstripe.of(request);
      case BYE -> new Bye();
      case RECLAIM -> Reclaim.of(request);
      case EVENTS -> Events.of(request);
      case LOCK -> Lock.of(request);
      case LOCK_TEST -> LockTest.of(request);
      case LOCK_CANCEL -> LockCancel.of(request);
      case RENEW -> Renew.of(request);
      case CLAIMED -> new Claimed();
      case STAGE -> Stage.of(request);
    };
  }

  /** Returns the access that a number of OPEN, CREATE or RECLAIM asks for, as bits of {@link Capability}. */
  static int access(int opens) {
    return ((opens & 1) != 0 ? Capability.READ : 0) | ((opens & 2) != 0 ? Capability.WRITE : 0) | ((opens & MetaRequest.MAPS) != 0 ? Capability.MAPPED : 0);
  }

  /** A wish for a striping as it is on the wire, valid or not. */
  record StripingNumbers(int base, int count, int stripeBytes) {
    private static StripingNumbers of(MetaRequest request, int from) {
      return new StripingNumbers((int) request.number(from, -1), (int) request.number(from + 1, 0), (int) request.number(from + 2, 0));
    }

    /** Returns the wish; throws an IllegalArgumentException if it is invalid. */
    public StripingWish wish() {
      return new StripingWish(base < 0 ? StripingWish.ANY : base, count <= 0 ? StripingWish.ANY : count, stripeBytes <= 0 ? StripingWish.ANY : stripeBytes);
    }
  }

  /** HELLO. */
  record Hello() implements MetaArguments {}

  /** LOOKUP. */
  record Lookup(long parent, byte[] name) implements MetaArguments {
    public static Lookup of(MetaRequest request) {
      return new Lookup(request.inode(), request.name());
    }
  }

  /** WALK. {@code followsLast}: whether a symbolic link at the end is followed. */
  record Walk(long from, byte[] path, boolean followsLast) implements MetaArguments {
    public static Walk of(MetaRequest request) {
      return new Walk(request.inode(), request.name(), request.number(0, 1) != 0);
    }
  }

  /** GETATTR. */
  record Getattr(long inode) implements MetaArguments {
    public static Getattr of(MetaRequest request) {
      return new Getattr(request.inode());
    }
  }

  /** SETATTR. {@code mask}: the bits of {@link MetaRequest#SET_MODE} and its fellows. */
  record Setattr(long inode, int mask, int mode, int uid, int gid, long bytes, long atimeNs, long mtimeNs) implements MetaArguments {
    public static Setattr of(MetaRequest request) {
      return new Setattr(request.inode(), (int) request.number(0, 0), (int) request.number(1, 0), (int) request.number(2, 0),
          (int) request.number(3, 0), request.number(4, 0), request.number(5, 0), request.number(6, 0));
    }
  }

  /** CREATE. {@code opens}: as {@link Open#opens}, or 0. */
  record Create(long parent, byte[] name, int mode, boolean isExclusive, StripingNumbers striping, int opens) implements MetaArguments {
    public static Create of(MetaRequest request) {
      return new Create(request.inode(), request.name(), (int) request.number(0, 0644), request.number(1, 0) != 0, StripingNumbers.of(request, 2),
          (int) request.number(5, 0));
    }
  }

  /** MKDIR. */
  record Mkdir(long parent, byte[] name, int mode) implements MetaArguments {
    public static Mkdir of(MetaRequest request) {
      return new Mkdir(request.inode(), request.name(), (int) request.number(0, 0755));
    }
  }

  /** MKNOD. */
  record Mknod(long parent, byte[] name, int mode, int device) implements MetaArguments {
    public static Mknod of(MetaRequest request) {
      return new Mknod(request.inode(), request.name(), (int) request.number(0, 0), (int) request.number(1, 0));
    }
  }

  /** SYMLINK. */
  record Symlink(long parent, byte[] name, byte[] target) implements MetaArguments {
    public static Symlink of(MetaRequest request) {
      return new Symlink(request.inode(), request.name(), request.value());
    }
  }

  /** READLINK. */
  record Readlink(long inode) implements MetaArguments {
    public static Readlink of(MetaRequest request) {
      return new Readlink(request.inode());
    }
  }

  /** LINK. */
  record Link(long inode, long parent, byte[] name) implements MetaArguments {
    public static Link of(MetaRequest request) {
      return new Link(request.other(), request.inode(), request.name());
    }
  }

  /** UNLINK. */
  record Unlink(long parent, byte[] name) implements MetaArguments {
    public static Unlink of(MetaRequest request) {
      return new Unlink(request.inode(), request.name());
    }
  }

  /** RMDIR. */
  record Rmdir(long parent, byte[] name) implements MetaArguments {
    public static Rmdir of(MetaRequest request) {
      return new Rmdir(request.inode(), request.name());
    }
  }

  /** RENAME. {@code flags}: 1 replaces nothing, 2 exchanges, 4 leaves a whiteout. */
  record Rename(long from, byte[] name, long to, byte[] newName, int flags) implements MetaArguments {
    public static Rename of(MetaRequest request) {
      return new Rename(request.inode(), request.name(), request.other(), request.value(), (int) request.number(0, 0));
    }
  }

  /** READDIR. {@code bytes}: of the answer. */
  record Readdir(long directory, long cookie, long bytes) implements MetaArguments {
    public static Readdir of(MetaRequest request) {
      return new Readdir(request.inode(), request.number(0, 0), request.number(1, 0));
    }
  }

  /** GETXATTR. {@code from}: where the part of the answer begins. */
  record Getxattr(long inode, byte[] name, long from) implements MetaArguments {
    public static Getxattr of(MetaRequest request) {
      return new Getxattr(request.inode(), request.name(), request.number(0, 0));
    }
  }

  /** SETXATTR. {@code flags}: 1 must be new, 2 must exist. {@code mark}: {@link LongValue#mark} of a value that STAGE has brought, or 0. */
  record Setxattr(long inode, byte[] name, byte[] value, int flags, long mark) implements MetaArguments {
    public static Setxattr of(MetaRequest request) {
      return new Setxattr(request.inode(), request.name(), request.value(), (int) request.number(0, 0), request.number(1, 0));
    }
  }

  /** LISTXATTR. As {@link Getxattr}. */
  record Listxattr(long inode, long from) implements MetaArguments {
    public static Listxattr of(MetaRequest request) {
      return new Listxattr(request.inode(), request.number(0, 0));
    }
  }

  /** REMOVEXATTR. */
  record Removexattr(long inode, byte[] name) implements MetaArguments {
    public static Removexattr of(MetaRequest request) {
      return new Removexattr(request.inode(), request.name());
    }
  }

  /** OPEN. {@code opens}: 1 to read, 2 to write, 3 for both; {@link MetaRequest#MAPS}. */
  record Open(long inode, int opens) implements MetaArguments {
    public static Open of(MetaRequest request) {
      return new Open(request.inode(), (int) request.number(0, 0));
    }
  }

  /** CLOSE. {@code bytes}: or {@link MetaRequest#NOT_WRITTEN}, {@link MetaRequest#UNKNOWN_LENGTH}. {@code wroteNs}: 0 for now. */
  record Close(long inode, long bytes, long was, boolean keepsTimes, long covers, long wroteNs) implements MetaArguments {
    public static Close of(MetaRequest request) {
      return new Close(request.inode(), request.number(0, MetaRequest.NOT_WRITTEN), request.number(1, 0), request.number(2, 0) != 0,
          request.number(3, 0), request.number(4, 0));
    }

    /** Whether the file was open to write, without {@link MetaRequest#MAPS}. */
    public boolean wasWritable() {
      return was == 1;
    }

    /** Whether the file was open with {@link MetaRequest#MAPS}. */
    public boolean unmaps() {
      return was == MetaRequest.UNMAPS;
    }

    /** Whether the length covers all that the client did. */
    public boolean coversAll() {
      return covers != 0;
    }

    /** Whether the client does not have the file open for writing otherwise. */
    public boolean isLast() {
      return covers == MetaRequest.CLOSES_LAST;
    }
  }

  /** STATFS. */
  record Statfs() implements MetaArguments {}

  /** SETSTRIPE. */
  record Setstripe(long directory, StripingNumbers striping) implements MetaArguments {
    public static Setstripe of(MetaRequest request) {
      return new Setstripe(request.inode(), StripingNumbers.of(request, 0));
    }
  }

  /** BYE. */
  record Bye() implements MetaArguments {}

  /** RECLAIM. {@code count}: how often the file is open; {@code writers}: how often of these for writing. */
  record Reclaim(long inode, int opens, long count, long writers, byte[] capability) implements MetaArguments {
    public static Reclaim of(MetaRequest request) {
      return new Reclaim(request.inode(), (int) request.number(0, 0), request.number(1, 0), request.number(2, 0), request.value());
    }
  }

  /** EVENTS. {@code handled}: number of the last handled event. */
  record Events(long stream, long handled) implements MetaArguments {
    public static Events of(MetaRequest request) {
      return new Events(request.number(0, 0), request.number(1, 0));
    }
  }

  /** LOCK. {@code ticket}: 0 does not wait. {@code isClaim}: the client had the lock at the previous manager. */
  record Lock(long inode, long ticket, boolean isClaim, byte[] lock) implements MetaArguments {
    public static Lock of(MetaRequest request) {
      return new Lock(request.inode(), request.number(0, 0), request.number(1, 0) != 0, request.value());
    }
  }

  /** LOCK_TEST. */
  record LockTest(long inode, long ticket, byte[] lock) implements MetaArguments {
    public static LockTest of(MetaRequest request) {
      return new LockTest(request.inode(), request.number(0, 0), request.value());
    }
  }

  /** LOCK_CANCEL. */
  record LockCancel(long ticket) implements MetaArguments {
    public static LockCancel of(MetaRequest request) {
      return new LockCancel(request.number(0, 0));
    }
  }

  /** RENEW. */
  record Renew(long inode) implements MetaArguments {
    public static Renew of(MetaRequest request) {
      return new Renew(request.inode());
    }
  }

  /** CLAIMED. */
  record Claimed() implements MetaArguments {}

  /** STAGE. {@code from}: where the part begins. */
  record Stage(long from, byte[] part) implements MetaArguments {
    public static Stage of(MetaRequest request) {
      return new Stage(request.number(0, 0), request.value());
    }
  }
}
