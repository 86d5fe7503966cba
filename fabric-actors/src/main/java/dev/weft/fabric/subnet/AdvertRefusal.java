package dev.weft.fabric.subnet;

/** An advert that the subnet manager did not accept, and the reason. */
public record AdvertRefusal(String node, String service, String reason) {}
