package dev.weft.fabric.subnet;

/** A node that the subnet manager did not take, and why. */
public record NodeRefusal(String name, String reason) {}
