package dev.weft.pager.nbd;

import dev.weft.pager.BlockDevice;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** The fixed newstyle handshake of one connection, on the connection's thread. */
final class NbdHandshake {
  /** The id of the only metadata context, base:allocation, if the client has selected it. */
  static final int CONTEXT_ID = 1;

  /** The result of a successful handshake. */
  record Choice(NbdExport export, boolean structured, boolean allocationContext) {}

  private static final int REPLY_BYTES_MAX = 3 * 4096;

  private final ClientSocket socket;
  private final NbdSettings settings;
  private final NbdTls tls;
  private final Map<String, NbdExport> exports;
  private final BooleanSupplier stopping;
  private final long deadlineNs;
  private final ByteBuffer out = ByteBuffer.allocateDirect(REPLY_BYTES_MAX);
  private boolean structured;
  private boolean noZeroes;
  /** The export whose allocation context was selected last, or null. */
  private String contextOf;
  private Choice choice;
  private boolean aborted;

  NbdHandshake(ClientSocket socket, NbdSettings settings, NbdTls tls, Map<String, NbdExport> exports, BooleanSupplier stopping,
      long deadlineNs) {
    this.socket = socket;
    this.settings = settings;
    this.tls = tls;
    this.exports = exports;
    this.stopping = stopping;
    this.deadlineNs = deadlineNs;
  }

  /** Runs the handshake. Returns the client's choice, or null if the client has aborted. Throws if it violates the protocol or is too slow. */
  Choice negotiate() throws IOException {
    out.putLong(Nbd.MAGIC).putLong(Nbd.OPTION_MAGIC).putShort((short) (Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES));
    flush();
    int clientFlags = read(4).getInt();
    if ((clientFlags & ~(Nbd.FLAG_FIXED_NEWSTYLE | Nbd.FLAG_NO_ZEROES)) != 0) {
      throw new IOException("the client set handshake flags 0x" + Integer.toHexString(clientFlags) + "; only 0x3 was offered");
    }
    noZeroes = (clientFlags & Nbd.FLAG_NO_ZEROES) != 0;
    for (int options = 0; choice == null && !aborted; options++) {
      if (options == settings.optionsMax()) {
        throw new IOException("the client sent more than " + settings.optionsMax() + " options");
      }
      option();
    }
    return choice;
  }

  private void option() throws IOException {
    ByteBuffer header = read(16);
    long magic = header.getLong();
    if (magic != Nbd.OPTION_MAGIC) {
      throw new IOException("the client sent option magic 0x" + Long.toHexString(magic) + " instead of IHAVEOPT");
    }
    int option = header.getInt();
    long length = Integer.toUnsignedLong(header.getInt());
    if (length > settings.optionBytesMax()) {
      skip(length);
      if (option == Nbd.OPT_EXPORT_NAME) {
        throw new IOException("the client sent an export name of " + length + " bytes");
      }
      error(option, Nbd.REP_ERR_TOO_BIG, "option data of " + length + " bytes; at most " + settings.optionBytesMax());
      return;
    }
    ByteBuffer data = read((int) length);
    if (option == Nbd.OPT_ABORT) {
      aborted = true;
      reply(option, Nbd.REP_ACK);
    } else if (stopping.getAsBoolean()) {
      error(option, Nbd.REP_ERR_SHUTDOWN, "the server is closing");
    } else {
      dispatch(option, data);
    }
  }

  private void dispatch(int option, ByteBuffer data) throws IOException {
    if (option != Nbd.OPT_STARTTLS && tls.isRequired() && !socket.isTls()) {
      if (option == Nbd.OPT_EXPORT_NAME) {
        throw new IOException("the client chose an export without TLS"); // This option has no error reply.
      }
      error(option, Nbd.REP_ERR_TLS_REQD, "this server requires TLS: send STARTTLS first");
      return;
    }
    switch (option) {
      case Nbd.OPT_EXPORT_NAME -> exportName(data);
      case Nbd.OPT_LIST -> list(data);
      case Nbd.OPT_STARTTLS -> startTls(data);
      case Nbd.OPT_INFO, Nbd.OPT_GO -> info(option, data);
      case Nbd.OPT_STRUCTURED_REPLY -> {
        if (data.hasRemaining()) {
          error(option, Nbd.REP_ERR_INVALID, "STRUCTURED_REPLY takes no data");
        } else {
          structured = true;
          reply(option, Nbd.REP_ACK);
        }
      }
      case Nbd.OPT_LIST_META_CONTEXT, Nbd.OPT_SET_META_CONTEXT -> metaContext(option, data);
      default -> error(option, Nbd.REP_ERR_UNSUP, "option " + Integer.toUnsignedString(option) + " is not known here");
    }
  }

  private void startTls(ByteBuffer data) throws IOException {
    if (data.hasRemaining()) {
      error(Nbd.OPT_STARTTLS, Nbd.REP_ERR_INVALID, "STARTTLS takes no data");
    } else if (socket.isTls()) {
      error(Nbd.OPT_STARTTLS, Nbd.REP_ERR_INVALID, "TLS is on already");
    } else if (!tls.isOffered()) {
      error(Nbd.OPT_STARTTLS, Nbd.REP_ERR_POLICY, "this server does not use TLS");
    } else {
      reply(Nbd.OPT_STARTTLS, Nbd.REP_ACK);
      socket.startTls(tls.engine(), deadlineNs);
      // An attacker may have sent the options that were negotiated in plain text.
      structured = false;
      contextOf = null;
    }
  }

  private void exportName(ByteBuffer data) throws IOException {
    String name = string(data, data.remaining());
    NbdExport export = name == null ? null : exports.get(name);
    if (export == null || stopping.getAsBoolean()) {
      throw new IOException("the client chose an export that does not exist");
    }
    out.putLong(export.device().sizeBytes()).putShort((short) export.transmissionFlags(structured));
    if (!noZeroes) {
      out.put(new byte[124]);
    }
    flush();
    choose(export);
  }

  private void list(ByteBuffer data) throws IOException {
    if (data.hasRemaining()) {
      error(Nbd.OPT_LIST, Nbd.REP_ERR_INVALID, "LIST takes no data");
      return;
    }
    for (NbdExport export : exports.values()) {
      byte[] name = export.name().getBytes(StandardCharsets.UTF_8);
      byte[] description = export.description().getBytes(StandardCharsets.UTF_8);
      header(Nbd.OPT_LIST, Nbd.REP_SERVER, 4 + name.length + description.length).putInt(name.length).put(name).put(description);
      flush();
    }
    reply(Nbd.OPT_LIST, Nbd.REP_ACK);
  }

  private void info(int option, ByteBuffer data) throws IOException {
    String name = lengthAndString(data);
    int count = name != null && data.remaining() >= 2 ? Short.toUnsignedInt(data.getShort()) : -1;
    if (count < 0 || data.remaining() != 2 * count) {
      error(option, Nbd.REP_ERR_INVALID, "malformed data: want length, export name, count, and that many 16-bit information types");
      return;
    }
    NbdExport export = exports.get(name);
    if (export == null) {
      error(option, Nbd.REP_ERR_UNKNOWN, "no such export");
      return;
    }
    boolean wantsName = false;
    boolean wantsDescription = false;
    boolean wantsBlockSize = false;
    while (data.hasRemaining()) {
      switch (Short.toUnsignedInt(data.getShort())) {
        case Nbd.INFO_NAME -> wantsName = true;
        case Nbd.INFO_DESCRIPTION -> wantsDescription = true;
        case Nbd.INFO_BLOCK_SIZE -> wantsBlockSize = true;
        default -> { }
      }
    }
    header(option, Nbd.REP_INFO, 12).putShort((short) Nbd.INFO_EXPORT).putLong(export.device().sizeBytes())
        .putShort((short) export.transmissionFlags(structured));
    if (wantsName) {
      text(option, Nbd.INFO_NAME, export.name());
    }
    if (wantsDescription && !export.description().isEmpty()) {
      text(option, Nbd.INFO_DESCRIPTION, export.description());
    }
    if (wantsBlockSize) {
      BlockDevice device = export.device();
      header(option, Nbd.REP_INFO, 14).putShort((short) Nbd.INFO_BLOCK_SIZE).putInt(1).putInt(device.preferredBlockBytes())
          .putInt(Math.max(settings.payloadBytesMax(), device.preferredBlockBytes()));
    }
    reply(option, Nbd.REP_ACK);
    if (option == Nbd.OPT_GO) {
      choose(export);
    }
  }

  private void text(int option, int type, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    header(option, Nbd.REP_INFO, 2 + bytes.length).putShort((short) type).put(bytes);
    flush();
  }

  private void metaContext(int option, ByteBuffer data) throws IOException {
    boolean set = option == Nbd.OPT_SET_META_CONTEXT;
    if (set) {
      contextOf = null;
    }
    if (!structured) {
      error(option, Nbd.REP_ERR_INVALID, "structured replies must be negotiated first");
      return;
    }
    String name = lengthAndString(data);
    long queries = name != null && data.remaining() >= 4 ? Integer.toUnsignedLong(data.getInt()) : -1;
    boolean selected = queries == 0 && !set;
    boolean valid = queries >= 0;
    for (long i = 0; i < queries && valid; i++) {
      String query = lengthAndString(data);
      valid = query != null && query.indexOf(':') >= 0;
      selected |= Nbd.BASE_ALLOCATION.equals(query) || !set && "base:".equals(query);
    }
    if (!valid || data.hasRemaining()) {
      error(option, Nbd.REP_ERR_INVALID, "malformed data: want export name, count, and that many queries 'namespace:leaf'");
      return;
    }
    if (!exports.containsKey(name)) {
      error(option, Nbd.REP_ERR_UNKNOWN, "no such export");
      return;
    }
    if (selected) {
      header(option, Nbd.REP_META_CONTEXT, 4 + Nbd.BASE_ALLOCATION.length()).putInt(set ? CONTEXT_ID : 0)
          .put(Nbd.BASE_ALLOCATION.getBytes(StandardCharsets.US_ASCII));
      contextOf = set ? name : contextOf;
    }
    reply(option, Nbd.REP_ACK);
  }

  private void choose(NbdExport export) {
    choice = new Choice(export, structured, export.name().equals(contextOf));
  }

  /** Reads a string after its length; returns null if it does not fit, is too long or is not UTF-8. */
  private static String lengthAndString(ByteBuffer data) {
    if (data.remaining() < 4) {
      return null;
    }
    int length = data.getInt();
    return length < 0 || length > data.remaining() ? null : string(data, length);
  }

  private static String string(ByteBuffer data, int length) {
    if (length > Nbd.STRING_BYTES_MAX) {
      return null;
    }
    ByteBuffer bytes = data.slice(data.position(), length);
    data.position(data.position() + length);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  private void error(int option, int type, String message) throws IOException {
    byte[] text = message.getBytes(StandardCharsets.UTF_8);
    header(option, type, text.length).put(text);
    flush();
  }

  private void reply(int option, int type) throws IOException {
    header(option, type, 0);
    flush();
  }

  private ByteBuffer header(int option, int type, int length) {
    return out.putLong(Nbd.OPTION_REPLY_MAGIC).putInt(option).putInt(type).putInt(length);
  }

  private void flush() throws IOException {
    socket.writeFully(out.flip(), deadlineNs);
    out.clear();
  }

  private ByteBuffer read(int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    socket.readFully(bytes, deadlineNs);
    return bytes.flip();
  }

  private void skip(long length) throws IOException {
    for (long left = length; left > 0;) {
      int count = (int) Math.min(left, settings.optionBytesMax());
      read(count);
      left -= count;
    }
  }
}
