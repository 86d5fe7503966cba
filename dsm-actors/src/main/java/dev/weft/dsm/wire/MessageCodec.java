package dev.weft.dsm.wire;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.wire.DsmMessage.Refusal;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Encodes {@link DsmMessage}s: an operation code, then the fields in order, little endian; names follow their length. */
public final class MessageCodec {
  /** Size of the longest message in bytes. */
  public static final int BYTES_MAX = 256;
  /** Longest place in a program (a site), in bytes of UTF-8. */
  public static final int SITE_BYTES_MAX = 96;

  private static final int TEXT_BYTES_MAX = 160;

  private MessageCodec() {}

  /** Writes a message at the buffer's position. */
  public static void encode(DsmMessage message, ByteBuffer to) {
    to.order(ByteOrder.LITTLE_ENDIAN);
    switch (message) {
      case DsmMessage.ReadRequest m -> to.put((byte) 1).putInt(m.minipage()).putInt(m.firstWord()).putInt(m.lastWord());
      case DsmMessage.WriteRequest m -> to.put((byte) 2).putInt(m.minipage()).putInt(m.firstWord()).putInt(m.lastWord());
      case DsmMessage.ForwardRead m -> to.put((byte) 3).putInt(m.minipage()).putInt(m.op()).putInt(m.requester());
      case DsmMessage.ForwardWrite m -> to.put((byte) 4).putInt(m.minipage()).putInt(m.op()).putInt(m.requester());
      case DsmMessage.Invalidate m -> to.put((byte) 5).putInt(m.minipage()).putInt(m.op());
      case DsmMessage.Invalidated m -> to.put((byte) 6).putInt(m.minipage()).putInt(m.op());
      case DsmMessage.Data m -> to.put((byte) 7).putInt(m.minipage()).putInt(m.op()).put(bit(m.writable())).putInt(m.home());
      case DsmMessage.Grant m -> to.put((byte) 8).putInt(m.minipage()).putInt(m.op()).put(bit(m.writable()));
      case DsmMessage.Fetch m -> to.put((byte) 9).putInt(m.minipage()).putInt(m.op()).putInt(m.source());
      case DsmMessage.Confirm m -> to.put((byte) 10).putInt(m.minipage()).putInt(m.op());
      case DsmMessage.Ask m -> to.put((byte) 13).putInt(m.minipage()).putInt(m.op()).putInt(m.source());
      case DsmMessage.Lost m -> to.put((byte) 11).putInt(m.minipage());
      case DsmMessage.Push m -> to.put((byte) 12).putInt(m.minipage());
      case DsmMessage.Sought m -> to.put((byte) 14).putInt(m.minipage()).putInt(m.requester()).put((byte) m.wanted().ordinal()).putInt(m.firstWord())
          .putInt(m.lastWord()).put(m.hops()).putLong(m.path()).put(bit(m.isKnown()));
      case DsmMessage.HomeMoves m -> to.put((byte) 15).putInt(m.minipage()).putInt(m.op()).putLong(m.path()).putLong(m.takenFrom());
      case DsmMessage.HomeIs m -> to.put((byte) 16).putInt(m.minipage()).putInt(m.op());
      case DsmMessage.LockRequest m -> to.put((byte) 20).putInt(m.object());
      case DsmMessage.LockGrant m -> to.put((byte) 21).putInt(m.object()).put(bit(m.recalled())).put(bit(m.holderLost()));
      case DsmMessage.LockRecall m -> to.put((byte) 22).putInt(m.object());
      case DsmMessage.LockReturn m -> to.put((byte) 23).putInt(m.object()).put(bit(m.wantsAgain())).put(bit(m.holderLost()));
      case DsmMessage.BarrierArrive m -> to.put((byte) 24).putInt(m.object());
      case DsmMessage.BarrierRelease m -> to.put((byte) 25).putInt(m.object()).putInt(m.threads());
      case DsmMessage.BarrierBroken m -> to.put((byte) 26).putInt(m.object());
      case DsmMessage.ConditionWait m -> to.put((byte) 27).putInt(m.object()).putInt(m.ticket());
      case DsmMessage.ConditionWaiting m -> to.put((byte) 28).putInt(m.object()).putInt(m.ticket());
      case DsmMessage.ConditionCancel m -> to.put((byte) 29).putInt(m.object()).putInt(m.ticket());
      case DsmMessage.ConditionSignal m -> to.put((byte) 30).putInt(m.object()).put(bit(m.all()));
      case DsmMessage.ConditionWake m -> to.put((byte) 31).putInt(m.object()).putInt(m.ticket());
      default -> encodeControl(message, to);
    }
  }

  private static void encodeControl(DsmMessage message, ByteBuffer to) {
    switch (message) {
      case DsmMessage.Define m -> {
        encode(m.wanted(), to.put((byte) 40).putInt(m.request()));
        putText(m.site(), SITE_BYTES_MAX, to);
      }
      case DsmMessage.Defined m -> {
        encode(m.spec(), to.put((byte) 41));
        putText(m.site(), SITE_BYTES_MAX, to);
      }
      case DsmMessage.DefinedAck m -> to.put((byte) 42).putInt(m.object());
      case DsmMessage.DefineResult m -> putText(m.text(), TEXT_BYTES_MAX,
          to.put((byte) 43).putInt(m.request()).putInt(m.object()).put((byte) m.refusal().ordinal()));
      case DsmMessage.Free m -> to.put((byte) 44).putInt(m.request()).putInt(m.object());
      case DsmMessage.Freed m -> to.put((byte) 45).putInt(m.object()).putLong(m.nodes());
      case DsmMessage.Member m -> putText(m.name(), TEXT_BYTES_MAX, to.put((byte) 46).putInt(m.node()));
      case DsmMessage.MembersEnd m -> to.put((byte) 47).putInt(m.members());
      case DsmMessage.Joined m -> to.put((byte) 48);
      case DsmMessage.Leaving m -> to.put((byte) 49);
      case DsmMessage.NothingMore m -> to.put((byte) 50).putInt(m.object());
      case DsmMessage.NodeGone m -> to.put((byte) 51).putInt(m.node());
      case DsmMessage.Holds m -> to.put((byte) 52).putInt(m.first()).putInt(m.count()).put(m.rights());
      case DsmMessage.HoldsLock m -> to.put((byte) 53).putInt(m.object());
      case DsmMessage.HoldsEnd m -> to.put((byte) 54).putInt(m.node());
      case DsmMessage.WasTaking m -> to.put((byte) 55).putInt(m.minipage()).putLong(m.owner()).putLong(m.copies()).putLong(m.lost());
      case DsmMessage.CopyWanted m -> to.put((byte) 60).putInt(m.minipage()).putInt(m.round());
      case DsmMessage.CopyAnswer m -> to.put((byte) 61).putInt(m.minipage()).putInt(m.round()).put((byte) m.copy().ordinal());
      case DsmMessage.CopyFetch m -> to.put((byte) 62).putInt(m.minipage()).putInt(m.round());
      case DsmMessage.Updates m -> to.put((byte) 63).putLong(m.seq()).putLong(m.offset()).putInt(m.bytes());
      case DsmMessage.UpdatesTaken m -> to.put((byte) 64).putLong(m.seq());
      case DsmMessage.Listens m -> to.put((byte) 65);
      case DsmMessage.UpdatesSent m -> to.put((byte) 66).putLong(m.seq()).putLong(m.offset()).putInt(m.bytes());
      case DsmMessage.UpdatesMissing m -> to.put((byte) 67).putLong(m.seq());
      case DsmMessage.Retires m -> to.put((byte) 70).putInt(m.node());
      case DsmMessage.Evacuate m -> to.put((byte) 71).putInt(m.first()).putInt(m.count()).putInt(m.round());
      case DsmMessage.Safe m -> to.put((byte) 72).putInt(m.minipage()).putInt(m.round());
      case DsmMessage.WasHome m -> to.put((byte) 73).putInt(m.object()).put(bit(m.isHurt())).putInt(m.holder());
      case DsmMessage.Left m -> to.put((byte) 74);
      case DsmMessage.Knows m -> {
        encode(m.spec(), to.put((byte) 75).put(bit(m.isFreed())));
        putText(m.site(), SITE_BYTES_MAX, to);
      }
      case DsmMessage.KnowsUpTo m -> to.put((byte) 76).putInt(m.nextId()).putInt(m.nextMinipage());
      default -> throw new IllegalArgumentException("no code for " + message);
    }
  }

  /**
   * Reads a message.
   *
   * @throws IllegalArgumentException if the bytes are not a valid message; the text says why
   */
  public static DsmMessage decode(ByteBuffer from) {
    from.order(ByteOrder.LITTLE_ENDIAN);
    try {
      byte code = from.get();
      DsmMessage message = code < 40 ? decode(code, from) : decodeControl(code, from);
      if (from.hasRemaining()) {
        throw new IllegalArgumentException(from.remaining() + " bytes after a message of code " + code);
      }
      return message;
    } catch (java.nio.BufferUnderflowException cut) {
      throw new IllegalArgumentException("a message was cut short", cut);
    }
  }

  private static DsmMessage decode(byte code, ByteBuffer from) {
    int what = from.getInt();
    return switch (code) {
      case 1 -> new DsmMessage.ReadRequest(what, from.getInt(), from.getInt());
      case 2 -> new DsmMessage.WriteRequest(what, from.getInt(), from.getInt());
      case 3 -> new DsmMessage.ForwardRead(what, from.getInt(), from.getInt());
      case 4 -> new DsmMessage.ForwardWrite(what, from.getInt(), from.getInt());
      case 5 -> new DsmMessage.Invalidate(what, from.getInt());
      case 6 -> new DsmMessage.Invalidated(what, from.getInt());
      case 7 -> new DsmMessage.Data(what, from.getInt(), bit(from), from.getInt());
      case 8 -> new DsmMessage.Grant(what, from.getInt(), bit(from));
      case 9 -> new DsmMessage.Fetch(what, from.getInt(), from.getInt());
      case 10 -> new DsmMessage.Confirm(what, from.getInt());
      case 11 -> new DsmMessage.Lost(what);
      case 12 -> new DsmMessage.Push(what);
      case 13 -> new DsmMessage.Ask(what, from.getInt(), from.getInt());
      case 14 -> new DsmMessage.Sought(what, from.getInt(), one(DsmMessage.Wanted.values(), from.get()), from.getInt(), from.getInt(), from.get(),
          from.getLong(), bit(from));
      case 15 -> new DsmMessage.HomeMoves(what, from.getInt(), from.getLong(), from.getLong());
      case 16 -> new DsmMessage.HomeIs(what, from.getInt());
      case 20 -> new DsmMessage.LockRequest(what);
      case 21 -> new DsmMessage.LockGrant(what, bit(from), bit(from));
      case 22 -> new DsmMessage.LockRecall(what);
      case 23 -> new DsmMessage.LockReturn(what, bit(from), bit(from));
      case 24 -> new DsmMessage.BarrierArrive(what);
      case 25 -> new DsmMessage.BarrierRelease(what, from.getInt());
      case 26 -> new DsmMessage.BarrierBroken(what);
      case 27 -> new DsmMessage.ConditionWait(what, from.getInt());
      case 28 -> new DsmMessage.ConditionWaiting(what, from.getInt());
      case 29 -> new DsmMessage.ConditionCancel(what, from.getInt());
      case 30 -> new DsmMessage.ConditionSignal(what, bit(from));
      case 31 -> new DsmMessage.ConditionWake(what, from.getInt());
      default -> throw unknown(code);
    };
  }

  private static DsmMessage decodeControl(byte code, ByteBuffer from) {
    return switch (code) {
      case 40 -> new DsmMessage.Define(from.getInt(), decodeSpec(from), text(from, SITE_BYTES_MAX));
      case 41 -> new DsmMessage.Defined(decodeSpec(from), text(from, SITE_BYTES_MAX));
      case 42 -> new DsmMessage.DefinedAck(from.getInt());
      case 43 -> new DsmMessage.DefineResult(from.getInt(), from.getInt(), one(Refusal.values(), from.get()), text(from, TEXT_BYTES_MAX));
      case 44 -> new DsmMessage.Free(from.getInt(), from.getInt());
      case 45 -> new DsmMessage.Freed(from.getInt(), from.getLong());
      case 46 -> new DsmMessage.Member(from.getInt(), text(from, TEXT_BYTES_MAX));
      case 47 -> new DsmMessage.MembersEnd(from.getInt());
      case 48 -> new DsmMessage.Joined();
      case 49 -> new DsmMessage.Leaving();
      case 50 -> new DsmMessage.NothingMore(from.getInt());
      case 51 -> new DsmMessage.NodeGone(from.getInt());
      case 52 -> new DsmMessage.Holds(from.getInt(), from.getInt(), from.get());
      case 53 -> new DsmMessage.HoldsLock(from.getInt());
      case 54 -> new DsmMessage.HoldsEnd(from.getInt());
      case 55 -> new DsmMessage.WasTaking(from.getInt(), from.getLong(), from.getLong(), from.getLong());
      case 60 -> new DsmMessage.CopyWanted(from.getInt(), from.getInt());
      case 61 -> new DsmMessage.CopyAnswer(from.getInt(), from.getInt(), one(DsmMessage.Copy.values(), from.get()));
      case 62 -> new DsmMessage.CopyFetch(from.getInt(), from.getInt());
      case 63 -> new DsmMessage.Updates(from.getLong(), from.getLong(), from.getInt());
      case 64 -> new DsmMessage.UpdatesTaken(from.getLong());
      case 65 -> new DsmMessage.Listens();
      case 66 -> new DsmMessage.UpdatesSent(from.getLong(), from.getLong(), from.getInt());
      case 67 -> new DsmMessage.UpdatesMissing(from.getLong());
      case 70 -> new DsmMessage.Retires(from.getInt());
      case 71 -> new DsmMessage.Evacuate(from.getInt(), from.getInt(), from.getInt());
      case 72 -> new DsmMessage.Safe(from.getInt(), from.getInt());
      case 73 -> new DsmMessage.WasHome(from.getInt(), bit(from), from.getInt());
      case 74 -> new DsmMessage.Left();
      case 75 -> {
        boolean isFreed = bit(from);
        yield new DsmMessage.Knows(decodeSpec(from), isFreed, text(from, SITE_BYTES_MAX));
      }
      case 76 -> new DsmMessage.KnowsUpTo(from.getInt(), from.getInt());
      default -> throw unknown(code);
    };
  }

  private static IllegalArgumentException unknown(byte code) {
    return new IllegalArgumentException("no message has the code " + code);
  }

  private static void encode(ObjectSpec spec, ByteBuffer to) {
    to.putInt(spec.id()).put((byte) spec.kind().ordinal()).putLong(spec.length()).putLong(spec.strideBytes()).putLong(spec.offset())
        .putInt(spec.firstMinipage()).putLong(spec.homes()).put((byte) spec.placement().ordinal()).put((byte) spec.consistency().ordinal());
    putText(spec.name(), ObjectName.BYTES_MAX, to);
  }

  private static ObjectSpec decodeSpec(ByteBuffer from) {
    int id = from.getInt();
    ObjectSpec.Kind kind = one(ObjectSpec.Kind.values(), from.get());
    long length = from.getLong();
    long stride = from.getLong();
    long offset = from.getLong();
    int first = from.getInt();
    long homes = from.getLong();
    HomePlacement placement = one(HomePlacement.values(), from.get());
    Consistency consistency = one(Consistency.values(), from.get());
    return new ObjectSpec(id, kind, text(from, ObjectName.BYTES_MAX), length, stride, offset, first, homes, placement, consistency);
  }

  private static void putText(String text, int bytesMax, ByteBuffer to) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    int length = Math.min(bytes.length, bytesMax);
    to.put((byte) length).put(bytes, 0, length);
  }

  private static String text(ByteBuffer from, int bytesMax) {
    int length = from.get() & 0xff;
    if (length > bytesMax) {
      throw new IllegalArgumentException("a text of " + length + " bytes, must be at most " + bytesMax);
    }
    byte[] bytes = new byte[length];
    from.get(bytes);
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static <T> T one(T[] values, byte ordinal) {
    if (ordinal < 0 || ordinal >= values.length) {
      throw new IllegalArgumentException("value " + ordinal + ", must be from 0 to " + (values.length - 1));
    }
    return values[ordinal];
  }

  private static byte bit(boolean value) {
    return value ? (byte) 1 : 0;
  }

  private static boolean bit(ByteBuffer from) {
    return from.get() != 0;
  }
}
