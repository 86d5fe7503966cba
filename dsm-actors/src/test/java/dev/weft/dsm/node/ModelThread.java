package dev.weft.dsm.node;

import dev.weft.dsm.NodeLostException;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.objects.Fault;
import java.util.ArrayList;
import java.util.List;

/** A thread of a model; what it does in one step is what {@code CheckedArray} does between two points at which the protocol may come in between. */
final class ModelThread {
  enum Phase {
    START,
    /** It may read, and has not yet: nobody knows that. */
    LOOKED,
    /** It has announced a write, and may. */
    INSIDE,
    /** It holds what it has waited for. */
    HOLDING,
    WAITING,
    DONE,
    FAILED
  }

  private final ProtocolModel model;
  private final int node;
  private final List<Program.Op> ops;
  final List<Long> read = new ArrayList<>();
  int at;
  Phase phase;
  Fault fault;

  ModelThread(ProtocolModel model, int node, List<Program.Op> ops) {
    this.model = model;
    this.node = node;
    this.ops = ops;
    this.phase = ops.isEmpty() ? Phase.DONE : Phase.START;
  }

  boolean isOver() {
    return phase == Phase.DONE || phase == Phase.FAILED;
  }

  boolean isEnabled() {
    return phase == Phase.WAITING ? fault.isOver() : !isOver();
  }

  private Program.Op op() {
    return ops.get(at);
  }

  /** What it does something with. */
  int word() {
    return op().word();
  }

  private byte wanted() {
    return op().writes() ? Rights.WRITE : Rights.READ;
  }

  void step() {
    switch (phase) {
      case START -> start();
      case LOOKED, INSIDE, HOLDING -> access();
      case WAITING -> wake();
      case DONE, FAILED -> throw new IllegalStateException(this + " is over");
    }
  }

  private void start() {
    int word = op().word();
    switch (op().kind()) {
      case PREFETCH -> {
        model.core(node).prefetch(word);
        advance();
      }
      case PUSH -> {
        model.push(node, word);
        advance();
      }
      case READ, WRITE, EXCHANGE -> {
        if (model.rights(node, word) >= wanted()) {
          phase = op().writes() ? Phase.INSIDE : Phase.LOOKED;
        } else {
          faults();
        }
      }
    }
  }

  private void faults() {
    fault = new Fault(op().word(), wanted());
    phase = Phase.WAITING;
    model.core(node).onFault(fault);
  }

  private void access() {
    if (op().reads()) {
      read.add(model.load(node, op().word()));
    }
    if (op().writes()) {
      model.store(node, op().word(), op().value());
    }
    advance();
  }

  private void advance() {
    at++;
    fault = null;
    phase = at == ops.size() ? Phase.DONE : Phase.START;
  }

  private void wake() {
    if (isRefused()) {
      phase = Phase.FAILED;
    } else if (!model.plant().looksAgain() || model.rights(node, op().word()) >= wanted()) {
      phase = Phase.HOLDING;
    } else {
      faults();
    }
  }

  private boolean isRefused() {
    try {
      fault.check();
      return false;
    } catch (NodeLostException lost) {
      return true;
    }
  }

  /** Whether it is inside with more than {@code rights}. */
  boolean isInside(int minipage, byte rights) {
    return switch (phase) {
      case INSIDE -> op().word() == minipage;
      case HOLDING -> op().word() == minipage && wanted() > rights;
      case START, LOOKED, WAITING, DONE, FAILED -> false;
    };
  }

  /** Whether it waits still for what the node has by now. */
  boolean isServed(int minipage, byte has) {
    return phase == Phase.WAITING && op().word() == minipage && wanted() <= has;
  }

  void append(StringBuilder to) {
    to.append(at).append((char) ('a' + phase.ordinal()));
    if (phase == Phase.WAITING && fault.isOver()) {
      to.append(isRefused() ? 'x' : '!');
    }
    for (long value : read) {
      to.append(value).append(',');
    }
  }

  @Override
  public String toString() {
    return "thread " + node + " at " + at + " " + phase + ", read " + read;
  }
}
