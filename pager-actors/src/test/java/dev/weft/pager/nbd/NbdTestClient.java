package dev.weft.pager.nbd;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A client that says exactly the bytes a test wants said. Blocking, over TCP. */
public final class NbdTestClient implements AutoCloseable {
  static final int C_FIXED = 1;
  static final int C_NO_ZEROES = 2;

  final Socket socket;
  final DataInputStream in;
  final DataOutputStream out;
  private long cookies = 0x1000;

  record OptionReply(int option, int type, byte[] data) {
    boolean isError() {
      return type < 0;
    }

    ByteBuffer bytes() {
      return ByteBuffer.wrap(data);
    }
  }

  record Chunk(int flags, int type, long cookie, byte[] data) {
    ByteBuffer bytes() {
      return ByteBuffer.wrap(data);
    }

    boolean isDone() {
      return (flags & 1) != 0;
    }
  }

  /** Connects to {@code nbd://HOST:PORT}; answers that take longer than 10 s fail. */
  public NbdTestClient(String uri) throws IOException {
    URI parsed = URI.create(uri);
    socket = new Socket(parsed.getHost(), parsed.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(90_000);
    in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
    out = new DataOutputStream(new java.io.BufferedOutputStream(socket.getOutputStream(), 65536));
  }

  /** Answers may take so long. */
  public NbdTestClient patience(int seconds) throws IOException {
    socket.setSoTimeout(seconds * 1000);
    return this;
  }

  NbdTestClient greet() throws IOException {
    return greet(C_FIXED | C_NO_ZEROES);
  }

  NbdTestClient greet(int flags) throws IOException {
    if (in.readLong() != 0x4e42444d41474943L || in.readLong() != 0x49484156454F5054L || in.readUnsignedShort() != 3) {
      throw new IOException("not a fixed newstyle greeting");
    }
    out.writeInt(flags);
    out.flush();
    return this;
  }

  void sendOption(int option, byte[] data) throws IOException {
    out.writeLong(0x49484156454F5054L);
    out.writeInt(option);
    out.writeInt(data.length);
    out.write(data);
    out.flush();
  }

  OptionReply readOptionReply() throws IOException {
    if (in.readLong() != 0x3e889045565a9L) {
      throw new IOException("bad option reply magic");
    }
    int option = in.readInt();
    int type = in.readInt();
    return new OptionReply(option, type, in.readNBytes(in.readInt()));
  }

  /** Sends an option and reads its replies up to the ACK or an error. */
  List<OptionReply> option(int option, byte[] data) throws IOException {
    sendOption(option, data);
    List<OptionReply> replies = new ArrayList<>();
    OptionReply reply;
    do {
      reply = readOptionReply();
      if (reply.option() != option) {
        throw new IOException("reply to option " + reply.option() + " instead of " + option);
      }
      replies.add(reply);
    } while (reply.type() != 1 && !reply.isError());
    return replies;
  }

  static byte[] infoData(String name, int... types) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    ByteBuffer data = ByteBuffer.allocate(6 + bytes.length + 2 * types.length);
    data.putInt(bytes.length).put(bytes).putShort((short) types.length);
    for (int type : types) {
      data.putShort((short) type);
    }
    return data.array();
  }

  static byte[] contextData(String name, String... queries) {
    ByteBuffer data = ByteBuffer.allocate(16384);
    data.putInt(name.length()).put(name.getBytes(StandardCharsets.UTF_8)).putInt(queries.length);
    for (String query : queries) {
      data.putInt(query.length()).put(query.getBytes(StandardCharsets.UTF_8));
    }
    byte[] bytes = new byte[data.flip().remaining()];
    data.get(bytes);
    return bytes;
  }

  /** Enters transmission on {@code name}, with structured replies and base:allocation if asked. */
  public NbdTestClient go(String name, boolean structured) throws IOException {
    greet();
    if (structured) {
      option(8, new byte[0]);
      option(10, contextData(name, "base:allocation"));
    }
    List<OptionReply> replies = option(7, infoData(name));
    if (replies.getLast().type() != 1) {
      throw new IOException("GO refused");
    }
    return this;
  }

  long send(int type, int flags, long offset, long length, byte[] payload) throws IOException {
    out.writeInt(0x25609513);
    out.writeShort(flags);
    out.writeShort(type);
    out.writeLong(++cookies);
    out.writeLong(offset);
    out.writeInt((int) length);
    if (payload != null) {
      out.write(payload);
    }
    out.flush();
    return cookies;
  }

  /** The error of the simple reply to {@code cookie}, which must come next. */
  int simpleReply(long cookie) throws IOException {
    int magic = in.readInt();
    int errno = in.readInt();
    long got = in.readLong();
    if (magic != 0x67446698 || got != cookie) {
      throw new IOException("magic " + Integer.toHexString(magic) + " cookie " + got + " instead of " + cookie);
    }
    return errno;
  }

  /** Sends a command without payload; the error of its simple reply. */
  public int command(int type, int flags, long offset, long length) throws IOException {
    return simpleReply(send(type, flags, offset, length, null));
  }

  /** Writes; the error of the simple reply. */
  public int write(long offset, byte[] data) throws IOException {
    return simpleReply(send(1, 0, offset, data.length, data));
  }

  /** A read with simple replies; the error, with {@code into} filled if there is none. */
  public int read(long offset, byte[] into) throws IOException {
    int errno = simpleReply(send(0, 0, offset, into.length, null));
    if (errno == 0) {
      in.readFully(into);
    }
    return errno;
  }

  /** A read with simple replies. */
  byte[] read(long offset, int length) throws IOException {
    int errno = simpleReply(send(0, 0, offset, length, null));
    if (errno != 0) {
      throw new IOException("read failed with " + errno);
    }
    return in.readNBytes(length);
  }

  Chunk readChunk() throws IOException {
    if (in.readInt() != 0x668e33ef) {
      throw new IOException("bad structured reply magic");
    }
    int flags = in.readUnsignedShort();
    int type = in.readUnsignedShort();
    long cookie = in.readLong();
    return new Chunk(flags, type, cookie, in.readNBytes(in.readInt()));
  }

  List<Chunk> chunks(int type, int flags, long offset, long length) throws IOException {
    long cookie = send(type, flags, offset, length, null);
    List<Chunk> chunks = new ArrayList<>();
    Chunk chunk;
    do {
      chunk = readChunk();
      if (chunk.cookie() != cookie) {
        throw new IOException("cookie " + chunk.cookie() + " instead of " + cookie);
      }
      chunks.add(chunk);
    } while (!chunk.isDone());
    return chunks;
  }

  /** Puts data and hole chunks together; fails on overlap and gaps. */
  static byte[] assemble(List<Chunk> chunks, long offset, int length) throws IOException {
    byte[] data = new byte[length];
    boolean[] seen = new boolean[length];
    for (Chunk chunk : chunks) {
      if (chunk.type() != 1 && chunk.type() != 2) {
        continue;
      }
      ByteBuffer bytes = chunk.bytes();
      int at = (int) (bytes.getLong() - offset);
      int count = chunk.type() == 1 ? bytes.remaining() : bytes.getInt();
      for (int i = 0; i < count; i++) {
        if (seen[at + i]) {
          throw new IOException("overlap at " + (at + i));
        }
        seen[at + i] = true;
        data[at + i] = chunk.type() == 1 ? bytes.get() : 0;
      }
    }
    for (int i = 0; i < length; i++) {
      if (!seen[i]) {
        throw new IOException("gap at " + i);
      }
    }
    return data;
  }

  boolean isClosedByServer() throws IOException {
    try {
      return in.read() < 0;
    } catch (EOFException | java.net.SocketException e) {
      return true;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
