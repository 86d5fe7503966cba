package dev.weft.fabric.trunk;

import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.PacketFormatException;
import dev.weft.fabric.packet.PacketFormatException.Reason;
import io.aeron.CommonContext;
import io.aeron.Image;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.DirectBuffer;

/**
 * Reads one Aeron image in place. It reads ahead of the position that Aeron knows: it delivers frames as packets that refer to
 * the term buffer, and moves the position only when the packets have been released, in order. Three limits bound the
 * look-ahead: the window, the credits of the switch port, and the end of the term that contains Aeron's position.
 *
 * <p>Hardware thread, except that a packet may be released by any thread.
 */
final class ImageReader implements ControlledFragmentHandler {
  private final Image image;
  private final int peer;
  private final TrunkReceiver receiver;
  private final boolean overIpc;
  private final int termLengthMask;
  private final PacketCodec codec = new PacketCodec();
  private final Slot[] window;
  private final int windowMask;
  private TrunkReceiver.Inbound inbound;
  private long head;
  private long tail;
  private long aeronPosition;
  private long peekPosition;
  private int budget;
  /** Whether the sender has proved that it belongs to the fabric, or does not have to. */
  private boolean admitted;
  private boolean refused;

  /** One delivered frame. It is its own release hook, so that nothing is allocated per frame. */
  private static final class Slot implements Runnable {
    private static final int FREE = 0;
    private static final int DELIVERED = 1;
    private static final int RELEASED = 2;
    private static final VarHandle STATE;

    static {
      try {
        STATE = MethodHandles.lookup().findVarHandle(Slot.class, "state", int.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    @SuppressWarnings("UnusedVariable") // through STATE
    private int state;
    private long endPosition;

    @Override
    public void run() {
      if ((int) STATE.getAcquire(this) == DELIVERED) {
        STATE.setRelease(this, RELEASED);
      }
    }

    boolean isReleased() {
      return (int) STATE.getAcquire(this) == RELEASED;
    }
  }

  ImageReader(Image image, int peer, int windowPackets, TrunkReceiver receiver, boolean open) {
    this.image = image;
    this.receiver = receiver;
    this.overIpc = image.subscription().channel().startsWith(CommonContext.IPC_CHANNEL);
    this.peer = peer;
    this.admitted = open || overIpc;
    this.termLengthMask = image.termBufferLength() - 1;
    this.window = new Slot[windowPackets];
    this.windowMask = windowPackets - 1;
    for (int i = 0; i < windowPackets; i++) {
      window[i] = new Slot();
    }
    this.aeronPosition = image.position();
    this.peekPosition = aeronPosition;
  }

  int peer() {
    return peer;
  }

  void leadTo(TrunkReceiver.Inbound newInbound) {
    inbound = newInbound;
  }

  /** Whether Aeron has dropped the image and no packet refers to it any more. */
  boolean isDone() {
    return head == tail && image.isClosed();
  }

  /** Whether the sender rings the bell for everything that the next poll could find. */
  boolean isRung() {
    return overIpc && head == tail;
  }

  /** Gives released frames back to Aeron and handles at most {@code max} new ones. Returns how many frames it handled. */
  int poll(int max) {
    if (head != tail || aeronPosition != peekPosition) {
      reclaim();
    }
    if (refused || image.isClosed() || inbound == null && admitted || peekPosition > termEnd()) {
      return 0;
    }
    budget = max;
    peekPosition = image.controlledPeek(peekPosition, this, Long.MAX_VALUE);
    return max - budget;
  }

  /** Returns the first position after the term that contains Aeron's position. Aeron does not allow a look beyond it. */
  private long termEnd() {
    return (aeronPosition & ~(long) termLengthMask) + termLengthMask + 1;
  }

  private void reclaim() {
    long position = aeronPosition;
    while (head != tail) {
      Slot slot = window[(int) head & windowMask];
      if (!slot.isReleased()) {
        break;
      }
      position = slot.endPosition;
      slot.state = Slot.FREE;
      head++;
    }
    if (head == tail) {
      position = peekPosition; // Padding at the end of a term has no slot.
    }
    if (position > termEnd()) {
      advance(termEnd()); // Aeron does not accept one step into the next term.
    }
    if (position != aeronPosition) {
      advance(position);
    }
  }

  private void advance(long position) {
    image.position(position);
    aeronPosition = position;
  }

  @Override
  public Action onFragment(DirectBuffer buffer, int offset, int length, Header header) {
    if (budget == 0 || tail - head > windowMask) {
      return Action.ABORT;
    }
    if (!admitted && !admit(buffer, offset, length)) {
      return Action.ABORT;
    }
    if (inbound == null) {
      return Action.ABORT; // The sender has proved itself, but there is no cable yet: its frames wait.
    }
    if (TrunkFrame.isReadsMemory(buffer, offset, length)) {
      inbound.peerReads = overIpc;
      return skip(header);
    }
    if ((header.flags() & FrameDescriptor.UNFRAGMENTED & 0xff) != (FrameDescriptor.UNFRAGMENTED & 0xff)
        || length < TrunkFrame.MIN_LENGTH) {
      return skipMalformed(header);
    }
    long trunkHeader = TrunkFrame.header(buffer, offset);
    if (!TrunkFrame.isValid(trunkHeader)) {
      // A hello: either the first frame, which admit() has read already, or a later one from a sender that had lost the connection.
      return TrunkFrame.hello(buffer, offset, length) == null ? skipMalformed(header) : skip(header);
    }
    if (!inbound.isUp()) {
      inbound.discardedLinkDown++;
      return skip(header);
    }
    if (!inbound.takeCredit(VirtualLane.of(TrunkFrame.serviceLevel(trunkHeader), inbound.virtualLanes()))) {
      return Action.ABORT;
    }
    return deliver(buffer, offset, length, header, trunkHeader);
  }

  private boolean admit(DirectBuffer buffer, int offset, int length) {
    byte[] code = TrunkFrame.hello(buffer, offset, length);
    admitted = code != null && receiver.isHello(image, code);
    if (!admitted) {
      refused = true;
      receiver.refuse(image);
    }
    return admitted;
  }

  private Action deliver(DirectBuffer buffer, int offset, int length, Header header, long trunkHeader) {
    Slot slot = window[(int) tail & windowMask];
    Packet packet;
    try {
      packet = TrunkFrame.hasReference(trunkHeader)
          ? referring(buffer, offset + TrunkFrame.HEADER_LENGTH, length - TrunkFrame.HEADER_LENGTH, trunkHeader, slot)
          : decode(buffer, offset + TrunkFrame.HEADER_LENGTH, length - TrunkFrame.HEADER_LENGTH, trunkHeader, slot);
    } catch (PacketFormatException e) {
      inbound.grant(VirtualLane.of(TrunkFrame.serviceLevel(trunkHeader), inbound.virtualLanes()), 1);
      return skipMalformed(header);
    }
    slot.endPosition = header.position();
    slot.state = Slot.DELIVERED;
    tail++;
    budget--;
    inbound.receivedPackets++;
    inbound.receivedBytes += TrunkFrame.hasReference(trunkHeader) ? length + packet.payload().length() : length;
    inbound.port().tell(packet);
    return Action.CONTINUE;
  }

  private Packet decode(DirectBuffer buffer, int offset, int length, long trunkHeader, Slot slot) {
    return codec.decode(buffer, offset, length, TrunkFrame.srcLid(trunkHeader), TrunkFrame.dstLid(trunkHeader),
        TrunkFrame.serviceLevel(trunkHeader), TrunkFrame.hasIcrc(trunkHeader), slot);
  }

  private Packet referring(DirectBuffer buffer, int offset, int length, long trunkHeader, Slot slot) {
    int pieces = TrunkReference.pieces(buffer, offset, length);
    int reference = TrunkReference.length(pieces);
    Packet packet = decode(buffer, offset + reference, length - reference, trunkHeader, null);
    if (inbound.memory() == null || packet.payload().length() != 0 || !Opcode.hasPayload(packet.opcode())) {
      throw new PacketFormatException(Reason.PAYLOAD, Opcode.name(packet.opcode()) + " with a reference to its payload, which "
          + (inbound.memory() == null ? "cannot be read here" : "it cannot have"));
    }
    return packet.with(TrunkReference.payload(buffer, offset, pieces, inbound.memory(), slot));
  }

  private Action skipMalformed(Header header) {
    inbound.discardedMalformed++;
    return skip(header);
  }

  private Action skip(Header header) {
    Slot slot = window[(int) tail & windowMask];
    slot.endPosition = header.position();
    slot.state = Slot.RELEASED;
    tail++;
    budget--;
    return Action.CONTINUE;
  }
}
