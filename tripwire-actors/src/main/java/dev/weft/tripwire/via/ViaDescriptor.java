package dev.weft.tripwire.via;

import dev.weft.tripwire.nic.Descriptor;
import java.util.List;

/**
 * A descriptor: data to send, a place to receive, or data for a remote write. It belongs to the application until it is posted, then to the provider
 * until it is done. After that {@link #status}, {@link #length} and {@link #immediate} give the result, and it may be posted again.
 */
public final class ViaDescriptor {
  /** Kind of operation. */
  public enum Operation { SEND, RECEIVE, RDMA_WRITE }

  /** A piece of registered memory. */
  public record Segment(MemoryHandle memory, long offset, int length) {}

  private final Operation operation;
  private final List<Segment> segments;
  private final Descriptor remote;
  private final long remoteOffset;
  private Integer immediateToSend;
  private volatile ViaStatus status = ViaStatus.SUCCESS;
  private volatile int length;
  private volatile Integer immediate;
  private volatile boolean isRdmaWrite;

  private ViaDescriptor(Operation operation, List<Segment> segments, Descriptor remote, long remoteOffset) {
    this.operation = operation;
    this.segments = List.copyOf(segments);
    this.remote = remote;
    this.remoteOffset = remoteOffset;
  }

  /** Sends the bytes of these segments, one after the other. */
  public static ViaDescriptor send(Segment... segments) {
    return new ViaDescriptor(Operation.SEND, List.of(segments), null, 0);
  }

  /** Receives into these segments, one after the other. */
  public static ViaDescriptor receive(Segment... segments) {
    return new ViaDescriptor(Operation.RECEIVE, List.of(segments), null, 0);
  }

  /** Writes the bytes of these segments to memory of the other side; see {@link MemoryHandle#remote}. */
  public static ViaDescriptor rdmaWrite(Descriptor remote, long remoteOffset, Segment... segments) {
    return new ViaDescriptor(Operation.RDMA_WRITE, List.of(segments), remote, remoteOffset);
  }

  /** Adds 32 bits of immediate data; an RDMA write then takes a receive at the other side. */
  public ViaDescriptor withImmediate(int data) {
    immediateToSend = data;
    return this;
  }

  public Operation operation() {
    return operation;
  }

  List<Segment> segments() {
    return segments;
  }

  Descriptor remote() {
    return remote;
  }

  long remoteOffset() {
    return remoteOffset;
  }

  Integer immediateToSend() {
    return immediateToSend;
  }

  /** Whether it takes a receive at the other side. */
  boolean takesReceive() {
    return operation == Operation.SEND || immediateToSend != null;
  }

  long requestedBytes() {
    long sum = 0;
    for (Segment segment : segments) {
      sum += segment.length();
    }
    return sum;
  }

  void posted() {
    status = ViaStatus.PENDING;
    length = 0;
    immediate = null;
    isRdmaWrite = false;
  }

  void completed(ViaStatus newStatus, int newLength, Integer newImmediate, boolean wasRdmaWrite) {
    length = newLength;
    immediate = newImmediate;
    isRdmaWrite = wasRdmaWrite;
    status = newStatus;
  }

  public ViaStatus status() {
    return status;
  }

  /** Number of bytes moved. */
  public int length() {
    return length;
  }

  /** Immediate data of the message, or null. */
  public Integer immediate() {
    return immediate;
  }

  /** Whether an RDMA write with immediate data took the receive; its bytes are elsewhere. */
  public boolean isRdmaWrite() {
    return isRdmaWrite;
  }
}
